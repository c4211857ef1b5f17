internal import CalotypeHTTP
internal import TaskFlow

/// A client's credentials for an S3 server.
public struct S3Credentials: Hashable, Sendable {
    /// The ID of the key, which is not secret.
    public let accessKey: String
    /// The secret key for signatures.
    public let secretKey: Secret
    /// The session token, if the keys belong to a session.
    public let sessionToken: Secret?

    /// Creates credentials.
    public init(accessKey: String, secretKey: Secret, sessionToken: Secret? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }
}

/// The credentials and the clock offset that all requests of a destination share.
final class S3Identity: Sendable {
    private struct State {
        var credentials: S3Credentials
        /// How far the server's clock is ahead of this machine's.
        var ahead = Duration.zero
    }

    /// A smaller difference is not worth another signature: servers accept 15 minutes.
    private static let tolerance = Duration.seconds(60)

    private let state: Guarded<State>
    private let source: S3Destination.CredentialSource?

    init(_ credentials: S3Credentials, _ source: S3Destination.CredentialSource?) {
        state = Guarded(State(credentials: credentials))
        self.source = source
    }

    /// The current credentials.
    var credentials: S3Credentials { state.withLock { $0.credentials } }

    /// Returns the server's time when this machine's is `local`.
    func time(_ local: WallTime) -> WallTime {
        local + state.withLock { $0.ahead }
    }

    /// Adopts the server's clock, and returns whether its time differs from `signed`.
    func adopt(_ server: WallTime, at local: WallTime, insteadOf signed: WallTime) -> Bool {
        guard Self.differ(server, signed) else { return false }
        state.withLock { $0.ahead = server - local }
        return true
    }

    /// Requests new credentials, and returns whether the current ones now differ from `stale`.
    ///
    /// - Throws: What the source throws.
    func refresh(_ stale: S3Credentials) async throws -> Bool {
        guard credentials == stale else { return true }
        guard let fresh = try await source?() else { return false }
        state.withLock { $0.credentials = fresh }
        return fresh != stale
    }

    static func differ(_ one: WallTime, _ other: WallTime) -> Bool {
        one > other + tolerance || other > one + tolerance
    }
}

/// What to correct in a request before it is signed and sent again.
enum S3Correction: Hashable, Sendable {
    /// The time of the signature.
    case clock
    /// The start of a presigned URL's validity.
    case expiry
    /// The credentials.
    case session

    /// Finds the correction that a response calls for; `nil` unless only the signature was at fault.
    ///
    /// - Parameters:
    ///   - response: The response. A response to a `HEAD` has only a status and a date.
    ///   - call: The request.
    ///   - server: The time in the response's `Date` header.
    ///   - signed: The time of the request's signature.
    init?(_ response: S3Response, to call: S3Call, server: WallTime?, signed: WallTime) {
        let isOff = server.map { S3Identity.differ($0, signed) } ?? false
        switch response.report {
        case .some(let report) where report.isAboutSession: self = .session
        case .some(let report) where report.isAboutTime: self = isOff ? .clock : .expiry
        case .none where call.method == .head && response.status == 403 && isOff: self = .clock
        default: return nil
        }
    }
}
