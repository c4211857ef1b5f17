import CalotypeCore
import CalotypeHTTPMessages

/// The path of one request through redirects.
///
/// 307 and 308 repeat the request, including its body. 303 leads to a `GET`, or to a `HEAD` after a `HEAD`.
/// 301 and 302 repeat only safe methods: some clients turn a `POST` into a `GET` there and others do not, so
/// nobody can know whether the request took effect.
struct RedirectRoute {
    private struct Stop: Hashable {
        let method: HTTPMethod
        let url: WebURL
    }

    private let maximum: Int
    private let first: WebURL
    private var visited: Set<Stop>
    private(set) var request: HTTPRequest
    /// Whether the chain contains a redirect that may lead elsewhere next time.
    private(set) var isTemporary = false
    /// The number of redirects that were followed.
    var redirects: Int { visited.count - 1 }

    init(_ request: HTTPRequest, maximum: Int) {
        self.request = request
        self.maximum = maximum
        first = request.url
        visited = [Stop(method: request.method, url: request.url)]
    }

    /// Returns the target of the redirect in `response`.
    ///
    /// - Throws: `invalid_redirect` if the response names none; `unsupported_scheme` for schemes other than
    ///   HTTP.
    static func target(of response: HTTPResponse) throws(CalotypeError) -> WebURL {
        guard let location = response.headers["Location"], !location.isEmpty else {
            throw CalotypeError(
                .invalidRedirect,
                "the \(response.status) redirect has no Location",
                stage: .response,
                url: response.url.text
            )
        }
        return try response.url.resolving(location)
    }

    /// Follows one more redirect.
    ///
    /// - Throws: `too_many_redirects` at the limit or in a loop; `http_301` or `http_302` if the method is
    ///   not safe.
    mutating func follow(to target: WebURL, status: Int) throws(CalotypeError) {
        guard request.method.isSafe || (status != 301 && status != 302) else {
            throw Self.refused(request, target, status)
        }
        isTemporary = isTemporary || HTTPStatus.isTemporary(status)
        let next = request.redirected(to: target, asGet: status == 303 && request.method != .head)
        guard visited.insert(Stop(method: next.method, url: target)).inserted else {
            throw tooMany("the redirects form a loop")
        }
        guard visited.count <= maximum + 1 else { throw tooMany("there are more than \(maximum) redirects") }
        request = next
    }

    private static func refused(_ request: HTTPRequest, _ target: WebURL, _ status: Int) -> CalotypeError {
        // The message omits the query, which may contain a signature.
        CalotypeError(
            .http(status: status),
            "the origin redirected the \(request.method) with \(status), which does not allow sending the request again; "
                + "to send it there, use \(target.text.prefix { $0 != "?" })",
            stage: .response,
            url: request.url.text
        )
    }

    private func tooMany(_ message: String) -> CalotypeError {
        CalotypeError(.tooManyRedirects, message, stage: .response, url: first.text)
    }
}
