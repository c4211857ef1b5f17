import TaskFlow

/// The body of one request: what the route that wants it reads, as it comes.
final class RequestBody: Sendable {
    private static let largestPiece = 64 << 10

    private struct State {
        var left: Int
        /// Whether the client waits to be told that the body is wanted.
        var isAsked: Bool
    }

    /// The announced length; `nil` where it cannot be told, as of a chunked body.
    let length: Int?
    private let inlet: Inlet
    private let tally: Tally
    private let state: Guarded<State>

    init(_ request: RequestHead, _ inlet: Inlet, _ tally: Tally) {
        self.inlet = inlet
        self.tally = tally
        length = request.bodyLength
        let isAsked = request.fields["expect"]?.lowercased() == "100-continue"
        state = Guarded(State(left: length ?? 0, isAsked: isAsked))
    }

    /// Whether the next request may follow: nothing of this one is left unread.
    var isRead: Bool { length != nil && state.withLock { $0.left == 0 } }

    /// The next piece, not empty; `nil` at the end.
    ///
    /// - Throws: `HangUp` when the client closes before the end, or sends nothing for too long.
    func next() async throws -> [UInt8]? {
        let (left, isAsked) = state.withLock { state in
            defer { state.isAsked = false }
            return (state.left, state.isAsked)
        }
        guard left > 0 else { return nil }
        if isAsked { try inlet.sayContinue() }
        let bytes = try await inlet.next(min(left, Self.largestPiece))
        state.withLock { $0.left -= bytes.count }
        tally.count { $0.bytesReceived += bytes.count }
        return bytes
    }

    /// Reads and drops `count` bytes.
    func drop(_ count: Int) async throws {
        let end = state.withLock { $0.left } - count
        while state.withLock({ $0.left }) > max(end, 0), try await next() != nil {}
    }
}
