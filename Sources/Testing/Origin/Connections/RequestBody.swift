import CalotypeHTTPMessages
import TaskFlow

/// The body of one request.
///
/// A route reads it as it arrives.
final class RequestBody: Sendable {
    private static let largestPiece = 64 << 10

    private struct State {
        var left: Int
        /// Whether the client waits for 100 Continue.
        var isAsked: Bool
        var taken = 0
        /// The number of bytes to read before a fault begins.
        var end: Int?
        /// Whether the fault stays silent instead of closing the connection.
        var isSilent = false
        var bytesPerSecond: Int?
    }

    /// The announced length; `nil` if it is unknown, as for a chunked body.
    let length: Int?
    private let inlet: Inlet
    private let tally: Tally
    private let state: Guarded<State>

    init(_ request: RequestHead, _ inlet: Inlet, _ tally: Tally) {
        self.inlet = inlet
        self.tally = tally
        length = request.bodyLength
        let isAsked = request.headers["Expect"]?.lowercased() == "100-continue"
        state = Guarded(State(left: length ?? 0, isAsked: isAsked))
    }

    /// Whether the next request may follow, because nothing of this one is unread.
    var isRead: Bool { length != nil && state.withLock { $0.left == 0 } }

    /// The number of bytes read.
    var taken: Int { state.withLock { $0.taken } }

    /// Ends the body early, after `percent` of it.
    ///
    /// Then ``next()`` throws `OriginError.bodyCut`. If silent, it waits until the client has gone instead.
    func end(afterPercent percent: Int, isSilent: Bool) {
        guard let length, length > 0 else { return }
        state.withLock { state in
            // In this order, the calculation does not overflow for a long body.
            state.end = length / 100 * percent + length % 100 * percent / 100
            state.isSilent = isSilent
        }
    }

    /// Limits the rate at which the body is read.
    func slow(to bytesPerSecond: Int) {
        state.withLock { $0.bytesPerSecond = bytesPerSecond }
    }

    /// Returns the next non-empty piece, or `nil` at the end.
    ///
    /// - Throws: `OriginError.hangUp` if the client closes before the end, or sends nothing for too long;
    ///   `OriginError.bodyCut`.
    func next() async throws -> [UInt8]? {
        let now = state.withLock { state in
            defer { state.isAsked = false }
            return state
        }
        if now.end == now.taken { try await misbehave(now.isSilent) }
        guard now.left > 0 else { return nil }
        if now.isAsked { try inlet.sayContinue() }
        let rate = now.bytesPerSecond ?? .max
        let most = min(now.left, Self.largestPiece, max(1, rate / 20), (now.end ?? .max) - now.taken)
        let bytes = try await inlet.next(most)
        state.withLock { state in
            state.left -= bytes.count
            state.taken += bytes.count
        }
        tally.count { $0.bytesReceived += bytes.count }
        if now.bytesPerSecond != nil { try await inlet.pause(.seconds(1) * bytes.count / rate) }
        return bytes
    }

    private func misbehave(_ isSilent: Bool) async throws {
        if isSilent { try await inlet.waitForHangUp() }
        throw OriginError.bodyCut
    }

    /// Reads and discards `count` bytes.
    func drop(_ count: Int) async throws {
        let end = state.withLock { $0.left } - count
        while state.withLock({ $0.left }) > max(end, 0), try await next() != nil {}
    }
}
