import CalotypeHTTP
import CalotypeHTTPListener

/// What the body of a call has to be.
enum APIBodyType: Hashable, Sendable {
    /// `application/json`, where there is a body: a form of another site's page cannot send that.
    case json
    /// Bytes of any type.
    case any

    /// Refuses a body of another type.
    func check(_ request: IncomingRequest) throws(APIError) {
        guard self == .json, request.method != "GET", request.method != "HEAD" else { return }
        let type = request.headers["Content-Type"] ?? ""
        let hasBody = request.headers["Content-Length"].map { $0 != "0" } ?? false
        guard hasBody || !type.isEmpty || request.headers["Transfer-Encoding"] != nil else { return }
        let essence = type.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard essence == "application/json" else {
            throw APIError(
                415,
                "unsupported_media_type",
                "the body has to be JSON; send it as application/json"
            )
        }
    }
}
