import CalotypeCore
import CalotypeHTTPMessages

/// The way of one request through redirects.
///
/// 307 and 308 repeat the request, its body included; 303 leads to a `GET`, or a `HEAD` after a `HEAD`. 301 and 302 repeat only
/// what changes nothing: clients turn a `POST` into a `GET` there, or do not, so that nobody can tell whether it was done.
struct RedirectRoute {
    private struct Stop: Hashable {
        let method: HTTPMethod
        let url: WebURL
    }

    private let maximum: Int
    private let first: WebURL
    private var visited: Set<Stop>
    private(set) var request: HTTPRequest
    /// Whether a redirect on the way may lead elsewhere the next time.
    private(set) var isTemporary = false

    init(_ request: HTTPRequest, maximum: Int) {
        self.request = request
        self.maximum = maximum
        first = request.url
        visited = [Stop(method: request.method, url: request.url)]
    }

    /// Where `response` leads.
    ///
    /// - Throws: `invalid_redirect` where it does not say; `unsupported_scheme` for other than HTTP.
    static func target(of response: HTTPResponse) throws(CalotypeError) -> WebURL {
        guard let location = response.headers["Location"], !location.isEmpty else {
            throw CalotypeError(
                .invalidRedirect,
                "the answer \(response.status) is a redirect, but has no Location",
                stage: .response,
                url: response.url.text
            )
        }
        return try response.url.resolving(location)
    }

    /// Goes one hop further.
    ///
    /// - Throws: `too_many_redirects` at the limit, or where the way leads to a place where it has been; `http_301` or `http_302`
    ///   where the request might change something.
    mutating func follow(to target: WebURL, status: Int) throws(CalotypeError) {
        guard request.method.isSafe || (status != 301 && status != 302) else {
            throw Self.refused(request, target, status)
        }
        isTemporary = isTemporary || HTTPStatus.isTemporary(status)
        let next = request.redirected(to: target, asGet: status == 303 && request.method != .head)
        guard visited.insert(Stop(method: next.method, url: target)).inserted else {
            throw tooMany("the redirects lead in a circle")
        }
        guard visited.count <= maximum + 1 else { throw tooMany("there are more than \(maximum) redirects") }
        request = next
    }

    private static func refused(_ request: HTTPRequest, _ target: WebURL, _ status: Int) -> CalotypeError {
        // Without the query, which may be a signature.
        CalotypeError(
            .http(status: status),
            "the origin answered the \(request.method) with \(status), which does not say whether to send it again; "
                + "ask \(target.text.prefix { $0 != "?" }) if that is meant",
            stage: .response,
            url: request.url.text
        )
    }

    private func tooMany(_ message: String) -> CalotypeError {
        CalotypeError(.tooManyRedirects, message, stage: .response, url: first.text)
    }
}
