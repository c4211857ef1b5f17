public import CalotypeHTTP

/// One attempt to publish the post itself.
public struct PostSession: Sendable {
    /// Sends the requests.
    public let client: PublishClient
    /// The post's own key, a UUID, which stays the same in all attempts and after a restart.
    public let key: String
    /// Whether the request of an earlier attempt may have arrived.
    public let mayHaveBeenSent: Bool
    /// When the first attempt began; `nil` during the first.
    ///
    /// Servers discard keys after a time.
    public let firstSent: WallTime?
    /// The state that an earlier attempt stored.
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

    /// Writes the state for the next attempt to the journal; returns when it is on the disk.
    public func remember(_ value: some Encodable) async throws {
        try await write(try RememberedState(value))
    }

    /// Reports that a query found no such post; a refusal of this attempt is then conclusive.
    ///
    /// If ``mayHaveBeenSent`` is true and this method is not called, the post may be published despite a
    /// refusal.
    public func confirmNotPublished() {
        clear()
    }
}

extension PostSession {
    /// When a request with the post was last sent, or the clock was last found to be wrong.
    private struct LastSent: Codable {
        let secondsSince1970: Int
    }

    /// How long a server may take to carry out a request that was cut off.
    static let settlingTime = Duration.seconds(5)

    /// Whether any request of an earlier attempt that was cut off has ended by now.
    ///
    /// If the clock was set back since then, the elapsed time is unknown, and the wait starts again now. Call
    /// this method before you query the server: a response shows the state at the time of its request.
    func isQuiet() async throws -> Bool {
        let now = client.time
        let noted = state.value(LastSent.self).map { WallTime(secondsSince1970: $0.secondsSince1970) }
        // The recorded time is later than the first request, whatever the clock showed at the time.
        guard let latest = noted ?? firstSent else { return true }
        guard latest <= now else {
            try await noteSending()
            return false
        }
        let last = [firstSent, noted].compactMap(\.self).filter { $0 <= now }.max() ?? latest
        return now - last >= Self.settlingTime
    }

    /// Records that the post is being sent again although an earlier request may have arrived.
    func noteSending() async throws {
        try await remember(LastSent(secondsSince1970: client.time.secondsSince1970))
    }
}
