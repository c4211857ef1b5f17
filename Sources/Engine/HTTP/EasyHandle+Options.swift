import CalotypeCCurl
import CalotypeCCurlShim
import CalotypeCore

extension EasyHandle {
    /// Sets what differs from a plain `GET`, or takes it back.
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
