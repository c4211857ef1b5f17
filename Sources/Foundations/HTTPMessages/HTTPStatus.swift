/// What status codes are called (RFC 9110, section 15).
package enum HTTPStatus {
    private static let phrases = [
        304: "not modified", 400: "bad request", 401: "unauthorized", 403: "forbidden", 404: "not found",
        405: "method not allowed", 406: "not acceptable", 407: "proxy authentication required",
        408: "request timeout", 409: "conflict", 410: "gone", 411: "length required",
        412: "precondition failed", 413: "content too large", 415: "unsupported media type",
        417: "expectation failed", 421: "misdirected request", 422: "unprocessable content", 423: "locked",
        425: "too early",
        429: "too many requests",
        451: "unavailable for legal reasons", 500: "internal server error", 501: "not implemented",
        502: "bad gateway", 503: "service unavailable", 504: "gateway timeout",
        507: "insufficient storage",
    ]

    /// The phrase for `status`, in lower case; `nil` for one that says little.
    package static func phrase(_ status: Int) -> String? { phrases[status] }

    /// Whether the answer names another place where the request is answered, or its outcome told.
    package static func isRedirect(_ status: Int) -> Bool {
        [301, 302, 303, 307, 308].contains(status)
    }

    /// Whether a redirect may lead elsewhere the next time.
    package static func isTemporary(_ status: Int) -> Bool {
        status != 301 && status != 308
    }
}
