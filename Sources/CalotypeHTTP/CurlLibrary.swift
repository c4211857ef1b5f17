import CCurl

/// The library as a whole.
enum CurlLibrary {
    /// Its version, such as `7.88.1`.
    static let version = unsafe String(cString: curl_version_info(CURLVERSION_FIRST).pointee.version)

    /// Sets libcurl up, once in the process.
    static func start() {
        _ = isStarted
    }

    private static let isStarted = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
