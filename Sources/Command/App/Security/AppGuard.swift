import CalotypeDigests
import CalotypeHTTP
import CalotypeHTTPListener

/// Decides who may use the API: no other site, and with a token only those who know it.
struct AppGuard: Sendable {
    /// The name of the cookie of a session.
    static let cookieName = "calotype_session"

    private let token: [UInt8]?
    /// What the cookie holds: nothing from which the token could be found out.
    private let session: String
    private let bindHost: HostName
    private let guesses: GuessLimit

    /// Creates a guard.
    ///
    /// - Parameters:
    ///   - token: What users have to know; nothing where `nil`.
    ///   - bindHost: The host that the server was told to listen at.
    ///   - key: A random key, another at each start: sessions end with the server.
    ///   - clock: Measures how quickly tokens are guessed.
    /// - Throws: What libcrypto says.
    init(
        token: String?,
        bindHost: String,
        key: [UInt8],
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(DigestError) {
        self.token = token.map { Array($0.utf8) }
        self.bindHost = HostName(bindHost)
        guesses = GuessLimit(clock: clock)
        session = try HMACStream.digest(.sha256, of: self.token ?? [], key: key).hexadecimal
    }

    /// Whether a token is needed.
    var needsToken: Bool { token != nil }

    /// Whether the request may use the API.
    ///
    /// - Throws: 429 for one with a token after too many wrong ones, from whomever they came; the cookie of a session is good all the
    ///   same.
    func isOpen(to request: IncomingRequest) throws(APIError) -> Bool {
        guard needsToken, !hasSession(request) else { return true }
        guard let field = request.headers["Authorization"], field.lowercased().hasPrefix("bearer ") else {
            return false
        }
        return try knows(String(field.dropFirst("bearer ".count)))
    }

    /// Whether `text` is the token.
    ///
    /// - Throws: 429 after too many wrong ones.
    func knows(_ text: String) throws(APIError) -> Bool {
        guard let token else { return true }
        do throws(GuessLimit.Exceeded) {
            return try guesses.check { ConstantTime.areEqual(Array(text.utf8), token) }
        } catch {
            throw .tooManyGuesses(error.retryAfter)
        }
    }

    private func hasSession(_ request: IncomingRequest) -> Bool {
        cookies(of: request).contains { ConstantTime.areEqual(Array($0.utf8), Array(session.utf8)) }
    }

    /// The `Set-Cookie` field that opens the API to a browser.
    var cookie: HTTPHeaders.Field {
        .init(
            unchecked: "Set-Cookie",
            "\(Self.cookieName)=\(session); Path=/api; HttpOnly; SameSite=Strict"
        )
    }

    /// Refuses what a page of another site has a browser send.
    func checkSite(_ request: IncomingRequest) throws(APIError) {
        let host = request.headers["Host"] ?? ""
        for origin in request.headers.values(of: "Origin")
        where ![("http://" + host).lowercased(), ("https://" + host).lowercased()].contains(
            origin.lowercased()
        ) {
            throw .foreignOrigin
        }
        if let site = request.headers["Sec-Fetch-Site"],
            ["cross-site", "same-site"].contains(site.lowercased())
        {
            throw .foreignOrigin
        }
        // A name that somebody else's name server points here: a token would not be sent there, but without one all is open.
        let name = HostName(host)
        guard needsToken || name.isAddress || name.isLoopback || name == bindHost else {
            throw .foreignHost
        }
    }

    private func cookies(of request: IncomingRequest) -> [Substring] {
        request.headers.values(of: "Cookie").flatMap { $0.split(separator: ";") }.compactMap { pair in
            let pair = pair.drop { $0 == " " }
            return pair.hasPrefix(Self.cookieName + "=") ? pair.dropFirst(Self.cookieName.count + 1) : nil
        }
    }
}

extension APIError {
    fileprivate static func tooManyGuesses(_ pause: Duration) -> APIError {
        var error = APIError(
            429,
            "too_many_guesses",
            "too many wrong tokens have come; try again in a minute (who has a session is not held up)"
        )
        error.retryAfter = pause
        return error
    }

    fileprivate static let foreignOrigin = APIError(
        403,
        "foreign_origin",
        "another site's page asks; only the app's own pages may use the API"
    )
    fileprivate static let foreignHost = APIError(
        403,
        "foreign_host",
        "without a token the API is answered under an IP address, localhost or the host of --bind only"
    )
}
