public import CalotypeHTTP

/// One attempt at the post itself.
public struct PostSession: Sendable {
    /// Sends the requests.
    public let client: PublishClient
    /// The post's own key, a UUID, the same in all attempts and after a restart.
    public let key: String
    /// Whether the request of an earlier attempt may have arrived.
    public let mayHaveBeenSent: Bool
    /// When the first attempt began; `nil` in the first.
    ///
    /// Servers forget keys after a time.
    public let firstSent: WallTime?
    /// What an earlier attempt remembered.
    public let state: RememberedState
    private let write: @Sendable (RememberedState) async throws -> Void
    private let clear: @Sendable () -> Void

    /// Creates a session.
    package init(
        client: PublishClient,
        key: String,
        mayHaveBeenSent: Bool = false,
        firstSent: WallTime? = nil,
        state: RememberedState = .none,
        remember write: @escaping @Sendable (RememberedState) async throws -> Void,
        confirmNotPublished clear: @escaping @Sendable () -> Void = {}
    ) {
        self.client = client
        self.key = key
        self.mayHaveBeenSent = mayHaveBeenSent
        self.firstSent = firstSent
        self.state = state
        self.write = write
        self.clear = clear
    }

    /// Writes into the journal what the next attempt needs; returns when it is on the disk.
    public func remember(_ value: some Encodable) async throws {
        try await write(try RememberedState(value))
    }

    /// Tells that the server was asked and does not have the post, so that a refusal of this attempt is the whole truth.
    ///
    /// Where ``mayHaveBeenSent`` is true and this is not called, a refusal leaves it open whether the post is published.
    public func confirmNotPublished() {
        clear()
    }
}

extension PostSession {
    /// When a request with the post was last sent, or a clock was last found to be wrong.
    private struct LastSent: Codable {
        let secondsSince1970: Int
    }

    /// How long a server may need for a request that was cut.
    static let settlingTime = Duration.seconds(5)

    /// Whether a request of an earlier attempt that was cut is no longer at work.
    ///
    /// If the clock was set back since, nobody knows how long ago that was; then the time counts from now on. Call it before the
    /// server is asked: the answer is as old as the question.
    func isQuiet() async throws -> Bool {
        let now = client.time
        let noted = state.value(LastSent.self).map { WallTime(secondsSince1970: $0.secondsSince1970) }
        // What was noted is later than the first request, whatever the clock said at the time.
        guard let latest = noted ?? firstSent else { return true }
        guard latest <= now else {
            try await noteSending()
            return false
        }
        let last = [firstSent, noted].compactMap(\.self).filter { $0 <= now }.max() ?? latest
        return now - last >= Self.settlingTime
    }

    /// Writes down that the post is sent again, although an earlier request may have arrived.
    func noteSending() async throws {
        try await remember(LastSent(secondsSince1970: client.time.secondsSince1970))
    }
}
