internal import CalotypeHTTP
internal import TaskFlow

/// Whom an S3 server knows a client as.
public struct S3Credentials: Hashable, Sendable {
    /// The name of the key, which is no secret.
    public let accessKey: String
    /// The key that signs.
    public let secretKey: Secret
    /// The token of a session, where the keys are those of one.
    public let sessionToken: Secret?

    /// Creates credentials.
    public init(accessKey: String, secretKey: Secret, sessionToken: Secret? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }
}

/// Who a destination is to its server, and what the server's clock says: what all requests share.
final class S3Identity: Sendable {
    private struct State {
        var credentials: S3Credentials
        /// How far the server's clock is ahead of this machine's.
        var ahead = Duration.zero
    }

    /// A smaller difference is not worth a second signature: servers allow for 15 minutes.
    private static let tolerance = Duration.seconds(60)

    private let state: Guarded<State>
    private let source: S3Destination.CredentialSource?

    init(_ credentials: S3Credentials, _ source: S3Destination.CredentialSource?) {
        state = Guarded(State(credentials: credentials))
        self.source = source
    }

    /// Who the client is now.
    var credentials: S3Credentials { state.withLock { $0.credentials } }

    /// What the server's clock says when this machine's says `local`.
    func time(_ local: WallTime) -> WallTime {
        local + state.withLock { $0.ahead }
    }

    /// Goes by the server's clock from now on; whether that makes a difference to the one that `signed` was told by.
    func adopt(_ server: WallTime, at local: WallTime, insteadOf signed: WallTime) -> Bool {
        guard Self.differ(server, signed) else { return false }
        state.withLock { $0.ahead = server - local }
        return true
    }

    /// Asks for new credentials; whether there are others than `stale`.
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

/// What to correct in a request that is then signed and sent once more.
enum S3Correction: Hashable, Sendable {
    /// The time by which it was signed.
    case clock
    /// The moment from which a presigned URL counts.
    case expiry
    /// The credentials.
    case session

    /// What `answer` asks for; `nil` where nothing but what was sent was wrong.
    ///
    /// - Parameters:
    ///   - answer: The answer, which may be that to a `HEAD`: it says no more than its status and its date.
    ///   - call: What was asked for.
    ///   - server: What the answer's date says.
    ///   - signed: The moment by which the request was signed.
    init?(_ answer: S3Answer, to call: S3Call, server: WallTime?, signed: WallTime) {
        let isOff = server.map { S3Identity.differ($0, signed) } ?? false
        switch answer.report {
        case .some(let report) where report.isAboutSession: self = .session
        case .some(let report) where report.isAboutTime: self = isOff ? .clock : .expiry
        case .none where call.method == .head && answer.status == 403 && isOff: self = .clock
        default: return nil
        }
    }
}
