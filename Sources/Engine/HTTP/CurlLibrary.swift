import CalotypeCCurl
import CalotypeCore
import Glibc
import TaskFlow

/// The library as a whole.
enum CurlLibrary {
    /// Its version, such as `7.88.1`.
    static let version = unsafe String(cString: curl_version_info(CURLVERSION_FIRST).pointee.version)

    /// Sets libcurl up, once in the process; where that fails for want of memory or descriptors, the next call tries again.
    ///
    /// - Throws: `resource_shortage`.
    static func start() throws(CalotypeError) {
        let works = isStarted.withLock { isStarted in
            if !isStarted { isStarted = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK }
            return isStarted
        }
        guard !works else { return }
        let cause = SystemError("set libcurl up", code: SystemError.descriptorShortage()?.code ?? ENOMEM)
        throw CalotypeError(.resourceShortage, cause.description, stage: .connect, cause: cause)
    }

    private static let isStarted = Guarded(false)
}
