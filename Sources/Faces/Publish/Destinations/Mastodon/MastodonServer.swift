internal import CalotypeCore
internal import CalotypeHTTP

/// A server of the Mastodon API as one account sees it.
struct MastodonServer: Sendable {
    let url: WebURL
    let token: Secret
    let client: PublishClient

    /// The server's URL, to which paths can be added.
    static func base(of url: WebURL) -> String {
        var base = url.withoutQuery
        while base.hasSuffix("/") { base.removeLast() }
        return base
    }

    /// A name of the server's as a part of a path (RFC 3986, section 3.3).
    static func segment(_ id: String) -> String {
        PercentEscapes.encoded(id)
    }

    func url(_ path: String) throws(CalotypeError) -> WebURL {
        try WebURL(Self.base(of: url) + path)
    }

    func request(_ method: HTTPMethod, _ path: String) throws(CalotypeError) -> HTTPRequest {
        HTTPRequest(try url(path), method: method)
    }

    /// Sends a request in the account's name.
    ///
    /// - Throws: `unauthorized`; `http_429` with the time to wait; what the transport throws.
    func send(_ request: HTTPRequest, to doing: String) async throws -> PublishAnswer {
        var request = request
        try request.authorize(.bearer(token))
        // One message of the server's is told from another by its text.
        try request.addHeader("Accept-Language", "en")
        let answer = try await client.send(request)
        switch answer.status {
        case 401: throw unauthorized(answer)
        case 429:
            let pause = RateLimit.pause(answer.headers, now: client.time) ?? answer.retryAfter
            throw PublishError(failure(answer, to: doing).error, .wait(pause))
        default: return answer
        }
    }

    /// What an answer means to which the API gives no other meaning, with the server's own words.
    func failure(_ answer: PublishAnswer, to doing: String) -> PublishError {
        answer.failure(doing, reason: reason(answer))
    }

    /// What the server said about its refusal; never the token.
    func reason(_ answer: PublishAnswer) -> String? {
        guard let told = (try? answer.json(MastodonRefusal.self))?.error, !token.text.isEmpty else {
            return nil
        }
        return told.replacing(token.text, with: token.description)
    }

    func unauthorized(_ answer: PublishAnswer) -> PublishError {
        let told = PublishAnswer.told(reason(answer))
        let error = CalotypeError(
            .unauthorized,
            "the server does not take the access token\(told); check the profile's token, which may be revoked, of another "
                + "server, or not whole",
            stage: .response,
            url: answer.url.text
        )
        return PublishError(error, .none)
    }
}

/// A refusal's body.
private struct MastodonRefusal: Decodable {
    var error: String
}

/// When a server that has had enough of requests takes the next one.
enum RateLimit {
    /// The longest time that is believed.
    private static let longest = 86_400.0

    /// The time to wait, never shorter than needed and less than a second longer; `nil` where none is told.
    ///
    /// `X-RateLimit-Reset` is a moment (RFC 3339, or seconds since 1970) or a number of seconds from now. The moment is compared with the
    /// server's own clock where the answer tells it: this machine's may be wrong.
    static func pause(_ headers: HTTPHeaders, now: WallTime) -> Duration? {
        guard let reset = headers["X-RateLimit-Reset"] else { return nil }
        let time = Double((headers.moment("Date", now: now) ?? now).secondsSince1970)
        if let moment = RFC3339.seconds(reset) { return pause(Double(moment) + fraction(reset) - time) }
        guard reset.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Double(reset) else {
            return nil
        }
        return pause(number > 1_000_000_000 ? number - time : number)
    }

    /// The part of a second that a time tells.
    private static func fraction(_ time: String) -> Double {
        let digits = time.drop { $0 != "." }.dropFirst().prefix { $0.isASCII && $0.isNumber }
        return Double("0.\(digits)") ?? 0
    }

    private static func pause(_ seconds: Double) -> Duration {
        // A second where the moment has come: the server has just said that it has not.
        .seconds(min(max(seconds, 1), longest))
    }
}
