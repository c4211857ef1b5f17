import CalotypeCCurl
import CalotypeCore

extension EasyHandle {
    /// Sets the options that differ from a plain `GET`, or resets them.
    func setMethod(of request: HTTPRequest) {
        let hasLength = request.method.expectsBody || !request.body.isEmpty
        set(CURLOPT_HTTPGET, 1)
        set(CURLOPT_UPLOAD, hasLength ? 1 : 0)
        set(CURLOPT_NOBODY, request.method == .head ? 1 : 0)
        let hasName = ![.get, .head].contains(request.method)
        _ = unsafe calotype_easy_set_string(raw, CURLOPT_CUSTOMREQUEST, hasName ? request.method.name : nil)
        let length = hasLength ? Int64(request.body.length.bytes) : -1
        _ = unsafe calotype_easy_set_offset(raw, CURLOPT_INFILESIZE_LARGE, length)
        set(CURLOPT_NOPROGRESS, request.body.isEmpty ? 1 : 0)
        set(CURLOPT_FRESH_CONNECT, request.needsNewConnection ? 1 : 0)
        set(CURLOPT_FORBID_REUSE, 0)
    }

    func set(_ option: CURLoption, _ value: Int) {
        _ = unsafe calotype_easy_set_long(raw, option, value)
    }

    func set(_ option: CURLoption, _ value: String) {
        _ = unsafe calotype_easy_set_string(raw, option, value)
    }
}

/// The request's settings in libcurl's terms.
extension HTTPRequest {
    /// Whether the request is a `GET` that may use any connection.
    var isPlain: Bool { method == .get && !needsNewConnection }

    /// The header lines.
    ///
    /// A line without a value ends in a semicolon, as libcurl requires.
    var curlLines: [String] {
        var lines = headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        if let authorization = url.authorization, headers["Authorization"] == nil {
            lines.append("Authorization: \(authorization)")
        }
        // Without an explicit `Expect`, libcurl would send `Expect: 100-continue` with every body of 1 MB or
        // more.
        if !body.isEmpty { lines.append(expectsContinue ? "Expect: 100-continue" : "Expect:") }
        return lines
    }
}

/// A list of strings for libcurl; owns the `curl_slist`.
@safe struct CurlList: ~Copyable {
    private(set) var head: UnsafeMutablePointer<curl_slist>?

    init(_ lines: some Sequence<String>) {
        unsafe head = nil
        for line in lines {
            // If memory runs out, libcurl returns NULL and leaves the list unchanged.
            if let longer = unsafe curl_slist_append(head, line) { unsafe head = longer }
        }
    }

    deinit {
        unsafe curl_slist_free_all(head)
    }
}
