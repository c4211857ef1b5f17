import CalotypeCore

/// The way of one request through redirects.
struct RedirectRoute {
    private let maximum: Int
    private let first: WebURL
    private var visited: Set<WebURL>
    private(set) var request: HTTPRequest
    /// Whether a redirect on the way may lead elsewhere the next time.
    private(set) var isTemporary = false

    init(_ request: HTTPRequest, maximum: Int) {
        self.request = request
        self.maximum = maximum
        first = request.url
        visited = [request.url]
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
    /// - Throws: `too_many_redirects` at the limit, or where the way leads to a place where it has been.
    mutating func follow(to target: WebURL, isTemporary: Bool) throws(CalotypeError) {
        self.isTemporary = self.isTemporary || isTemporary
        guard visited.insert(target).inserted else { throw tooMany("the redirects lead in a circle") }
        guard visited.count <= maximum + 1 else { throw tooMany("there are more than \(maximum) redirects") }
        request = request.redirected(to: target)
    }

    private func tooMany(_ message: String) -> CalotypeError {
        CalotypeError(.tooManyRedirects, message, stage: .response, url: first.text)
    }
}
