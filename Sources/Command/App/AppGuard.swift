import CalotypeDigests
import CalotypeHTTP
import CalotypeHTTPListener
import TaskFlow

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
    var cookie: HeaderField {
        .init(
            "Set-Cookie",
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

/// Lets so many wrong guesses of a secret through within a time, whoever guesses.
///
/// It keeps the times of that many guesses and nothing else, so that no number of guesses or addresses makes it grow.
final class GuessLimit: Sendable {
    /// There were too many wrong guesses; none is looked at before the time has passed.
    struct Exceeded: Error {
        let retryAfter: Duration
    }

    private let most: Int
    private let time: Duration
    private let stopwatch: Stopwatch
    /// When the last wrong guesses were made, the oldest first.
    private let wrong = Guarded<[Duration]>([])

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - most: How many wrong guesses are looked at within `time`, 10 by default.
    ///   - time: One minute by default.
    ///   - clock: Measures it.
    init(_ most: Int = 10, within time: Duration = .seconds(60), clock: any Clock<Duration>) {
        self.most = most
        self.time = time
        stopwatch = Stopwatch(clock)
    }

    /// Looks at a guess.
    ///
    /// - Parameter isRight: Looks whether it is right; it is called under a lock, so that guesses at the same time count one by one.
    /// - Returns: Whether it is right.
    /// - Throws: ``Exceeded`` where it is not looked at, be it right or wrong: else the limit would tell the right one.
    func check(_ isRight: () -> Bool) throws(Exceeded) -> Bool {
        let now = stopwatch.now
        let result: Result<Bool, Exceeded> = wrong.withLock { wrong in
            wrong.removeAll { $0 + time <= now }
            if wrong.count >= most, let oldest = wrong.first {
                return .failure(Exceeded(retryAfter: oldest + time - now))
            }
            let isRight = isRight()
            if !isRight { wrong.append(now) }
            return .success(isRight)
        }
        return try result.get()
    }
}

/// The name of a host, as it stands in a setting or in the `Host` field of a request.
struct HostName: Hashable, Sendable {
    /// Without a port and without brackets, in small letters.
    let text: String

    /// Takes the host of `HOST` or `HOST:PORT`; an IPv6 address may be in brackets.
    init(_ field: some StringProtocol) {
        var name = Substring(field.lowercased())
        if name.hasPrefix("["), let end = name.firstIndex(of: "]") {
            name = name[..<end].dropFirst()
        } else if let colon = name.firstIndex(of: ":"), colon == name.lastIndex(of: ":") {
            name = name[..<colon]
        }
        text = String(name)
    }

    /// Whether it is an address, which no name server can give another meaning.
    var isAddress: Bool { IPAddress(text) != nil }

    /// Whether it names this machine for itself only.
    var isLoopback: Bool {
        text == "localhost" || text == "::1" || text.hasPrefix("127.") && isAddress
    }
}
