import CalotypeDigests
import CalotypeHTTP
import CalotypeHTTPListener
import TaskFlow

/// Decides whether a request may use the API: no other site may, and with a token only its holders.
struct AppGuard: Sendable {
    /// The name of the session cookie.
    static let cookieName = "calotype_session"

    private let token: [UInt8]?
    /// The value of the cookie, which does not reveal the token.
    private let session: String
    private let bindHost: HostName
    private let guesses: GuessLimit

    /// Creates a guard.
    ///
    /// - Parameters:
    ///   - token: The token that clients must know; `nil` for no token.
    ///   - bindHost: The host in the server's configuration.
    ///   - key: A random key, different at each start, so that sessions end with the server.
    ///   - clock: Measures the rate of guesses.
    /// - Throws: Errors from libcrypto.
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

    /// Whether clients need a token.
    var needsToken: Bool { token != nil }

    /// Whether the request may use the API.
    ///
    /// - Throws: 429 if the request has a token after too many wrong ones from any clients; a session cookie
    ///   still works.
    func isOpen(to request: IncomingRequest) throws(APIError) -> Bool {
        guard needsToken, !hasSession(request) else { return true }
        guard let field = request.headers["Authorization"], field.lowercased().hasPrefix("bearer ") else {
            return false
        }
        return try knows(String(field.dropFirst("bearer ".count)))
    }

    /// Returns whether `text` is the token.
    ///
    /// - Throws: 429 after too many wrong tokens.
    func knows(_ text: String) throws(APIError) -> Bool {
        guard let token else { return true }
        switch guesses.check({ ConstantTime.areEqual(Array(text.utf8), token) }) {
        case .right: return true
        case .wrong: return false
        case .refused(let retryAfter): throw .tooManyGuesses(retryAfter)
        }
    }

    private func hasSession(_ request: IncomingRequest) -> Bool {
        cookies(of: request).contains { ConstantTime.areEqual(Array($0.utf8), Array(session.utf8)) }
    }

    /// The `Set-Cookie` field that gives a browser access to the API.
    var cookie: HeaderField {
        .init(
            "Set-Cookie",
            "\(Self.cookieName)=\(session); Path=/api; HttpOnly; SameSite=Strict"
        )
    }

    /// Throws if a page of another site made the browser send the request.
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
        // Another name may belong to a foreign name server that points here. A token would not be sent there,
        // but without a token everything is open.
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
            "too many wrong tokens; try again in a minute (open sessions still work)"
        )
        error.retryAfter = pause
        return error
    }

    fileprivate static let foreignOrigin = APIError(
        403,
        "foreign_origin",
        "the request comes from another site; only the app's own pages may use the API"
    )
    fileprivate static let foreignHost = APIError(
        403,
        "foreign_host",
        "without a token, the API is only available at an IP address, localhost or the host of --bind"
    )
}

/// Limits the rate of wrong guesses of a secret, over all clients.
///
/// It stores at most as many times as it allows wrong guesses, so its size is bounded for any number of
/// guesses and addresses.
final class GuessLimit: Sendable {
    /// The outcome of a guess.
    enum Outcome {
        case right, wrong
        /// There were too many wrong guesses; the limit checks none until the time has passed.
        case refused(retryAfter: Duration)
    }

    private let most: Int
    private let time: Duration
    private let stopwatch: Stopwatch
    /// The times of the last wrong guesses, oldest first.
    private let wrong = Guarded<[Duration]>([])

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - most: Number of wrong guesses allowed within `time`, 10 by default.
    ///   - time: The period, one minute by default.
    ///   - clock: Measures the period.
    init(_ most: Int = 10, within time: Duration = .seconds(60), clock: any Clock<Duration>) {
        self.most = most
        self.time = time
        stopwatch = Stopwatch(clock)
    }

    /// Checks a guess.
    ///
    /// - Parameter isRight: Returns whether the guess is right; called under a lock, so that concurrent
    ///   guesses count one by one.
    /// - Returns: Whether the guess is right, or how long to wait.
    func check(_ isRight: () -> Bool) -> Outcome {
        let now = stopwatch.now
        return wrong.withLock { wrong in
            wrong.removeAll { $0 + time <= now }
            // Without checking the guess: otherwise the limit would reveal the right one.
            if wrong.count >= most, let oldest = wrong.first {
                return .refused(retryAfter: oldest + time - now)
            }
            let isRight = isRight()
            if !isRight { wrong.append(now) }
            return isRight ? .right : .wrong
        }
    }
}

/// A host name from a setting or from the `Host` field of a request.
struct HostName: Hashable, Sendable {
    /// The name in lower case, without a port and without brackets.
    let text: String

    /// Parses the host of `HOST` or `HOST:PORT`; an IPv6 address may be in brackets.
    init(_ field: some StringProtocol) {
        var name = Substring(field.lowercased())
        if name.hasPrefix("["), let end = name.firstIndex(of: "]") {
            name = name[..<end].dropFirst()
        } else if let colon = name.firstIndex(of: ":"), colon == name.lastIndex(of: ":") {
            name = name[..<colon]
        }
        text = String(name)
    }

    /// Whether the name is an IP address, which no name server can redirect.
    var isAddress: Bool { IPAddress(text) != nil }

    /// Whether the name refers to this machine only.
    var isLoopback: Bool {
        text == "localhost" || text == "::1" || text.hasPrefix("127.") && isAddress
    }
}
