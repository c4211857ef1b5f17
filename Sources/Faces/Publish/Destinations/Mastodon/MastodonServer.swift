internal import CalotypeCore
internal import CalotypeHTTP

/// A server with the Mastodon API, as seen by one account.
struct MastodonServer: Sendable {
    let url: WebURL
    let token: Secret
    let client: PublishClient

    /// The server's URL in a form that paths can be appended to.
    static func base(of url: WebURL) -> String {
        var base = url.withoutQuery
        while base.hasSuffix("/") { base.removeLast() }
        return base
    }

    /// Encodes a server's ID as a path segment (RFC 3986, section 3.3).
    static func segment(_ id: String) -> String {
        PercentEscapes.encoded(id)
    }

    func url(_ path: String) throws(CalotypeError) -> WebURL {
        try WebURL(Self.base(of: url) + path)
    }

    func request(_ method: HTTPMethod, _ path: String) throws(CalotypeError) -> HTTPRequest {
        HTTPRequest(try url(path), method: method)
    }

    /// Sends a request with the account's token.
    ///
    /// - Throws: `unauthorized`; `http_429` with the time to wait; what the transport throws.
    func send(_ request: HTTPRequest, to doing: String) async throws -> PublishResponse {
        var request = request
        try request.authorize(.bearer(token))
        // The server's messages can be told apart only by their text, which therefore must be in English.
        try request.addHeader("Accept-Language", "en")
        let response = try await client.send(request)
        switch response.status {
        case 401: throw unauthorized(response)
        case 429:
            let pause = RateLimit.pause(response.headers, now: client.time) ?? response.retryAfter
            throw PublishError(failure(response, to: doing).error, .wait(pause))
        default: return response
        }
    }

    /// The failure for a response that has no special meaning in the API, with the server's own words.
    func failure(_ response: PublishResponse, to doing: String) -> PublishError {
        response.failure(doing, reason: reason(response))
    }

    /// The reason that the server gives for its refusal; never the token.
    func reason(_ response: PublishResponse) -> String? {
        guard let told = (try? response.json(MastodonErrorBody.self))?.error, !token.text.isEmpty else {
            return nil
        }
        return told.replacing(token.text, with: token.description)
    }

    func unauthorized(_ response: PublishResponse) -> PublishError {
        let told = PublishResponse.told(reason(response))
        let error = CalotypeError(
            .unauthorized,
            "the server rejected the access token\(told); check the profile's token, which may be revoked, incomplete or for another "
                + "server",
            stage: .response,
            url: response.url.text
        )
        return PublishError(error, .none)
    }
}

/// The JSON that the server sends with an error.
private struct MastodonErrorBody: Decodable {
    var error: String
}

/// When a rate-limited client may send the next request.
enum RateLimit {
    /// The longest time that is considered plausible.
    private static let longest = 86_400.0

    /// Returns the time to wait, rounded up by less than a second, or `nil` if the headers have none.
    ///
    /// `X-RateLimit-Reset` is a moment (RFC 3339, or seconds since 1970) or a number of seconds from now. The
    /// moment is compared with the server's own clock if the response has its time: this machine's clock may
    /// be wrong.
    static func pause(_ headers: HTTPHeaders, now: WallTime) -> Duration? {
        guard let reset = headers["X-RateLimit-Reset"] else { return nil }
        let time = Double((headers.moment("Date", now: now) ?? now).secondsSince1970)
        if let moment = RFC3339.seconds(reset) { return pause(Double(moment) + fraction(reset) - time) }
        guard reset.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Double(reset) else {
            return nil
        }
        return pause(number > 1_000_000_000 ? number - time : number)
    }

    /// The fractional second of a time.
    private static func fraction(_ time: String) -> Double {
        let digits = time.drop { $0 != "." }.dropFirst().prefix { $0.isASCII && $0.isNumber }
        return Double("0.\(digits)") ?? 0
    }

    private static func pause(_ seconds: Double) -> Duration {
        // Wait one second if the moment has passed: the server has just said that it has not.
        .seconds(min(max(seconds, 1), longest))
    }
}
