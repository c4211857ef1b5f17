import CalotypeCMicroHTTPD

/// Decides whether a client has been too slow, from the kernel's byte counts for its connection.
///
/// The counts are checked at intervals, so a slow client is detected at most one interval late.
package struct ClientPatience {
    /// The limits for clients, from the listener's configuration.
    package struct Limits: Hashable {
        var idle = Duration.seconds(10)
        var keepAlive = Duration.seconds(90)
        var head = Duration.seconds(10)
        /// The number of bytes that must be transferred within ``idle``.
        var idleBytes: UInt64 = 1000
    }

    /// The side that must act next.
    enum Turn {
        /// The client may send its next request.
        case betweenRequests
        /// The client sends a body or receives a response.
        case client
        /// The client waits for the listener.
        case listener
    }

    enum Verdict: Hashable {
        case wait
        /// Close the connection without a response.
        case close
        /// Respond that the head did not arrive in time, and close the connection.
        case refuseHead
    }

    /// The time that a new client has for its first byte while the listener drains.
    static let drainPatience = Duration.seconds(1)

    let limits: Limits
    private let arrival: ContinuousClock.Instant
    private var lastTurn: Turn
    /// When the current turn began.
    private var turnBegan: ContinuousClock.Instant
    private var headBegan: ContinuousClock.Instant?
    private var lastProgress: ContinuousClock.Instant
    private var countsThen = calotype_tcp_counts()
    /// The number of bytes in all heads read so far.
    private var headBytes: UInt64 = 0

    init(_ limits: Limits, now: ContinuousClock.Instant) {
        self.limits = limits
        arrival = now
        lastTurn = .betweenRequests
        turnBegan = now
        lastProgress = now
    }

    /// Records that the library read a head of `bytes` bytes.
    mutating func headCame(_ bytes: Int) {
        headBytes += UInt64(bytes)
    }

    /// Records that a request is finished, so that the client may send the next.
    mutating func requestEnded(_ now: ContinuousClock.Instant) {
        begin(.betweenRequests, now)
    }

    /// Whether bytes have arrived that do not belong to a head already read.
    func hasPartOfHead(_ counts: calotype_tcp_counts) -> Bool {
        counts.received > headBytes
    }

    /// Checks the client's progress since the previous check.
    mutating func look(
        _ counts: calotype_tcp_counts,
        _ turn: Turn,
        _ now: ContinuousClock.Instant,
        isDraining: Bool
    ) -> Verdict {
        if turn != lastTurn { begin(turn, now) }
        let moved = (counts.received &- countsThen.received) &+ (counts.taken &- countsThen.taken)
        if turn == .listener || moved >= limits.idleBytes {
            countsThen = counts
            lastProgress = now
        }
        switch turn {
        case .listener: return .wait
        case .client: return hasStalled(now) ? .close : .wait
        case .betweenRequests: return lookBetweenRequests(counts, now, isDraining)
        }
    }

    private mutating func lookBetweenRequests(
        _ counts: calotype_tcp_counts,
        _ now: ContinuousClock.Instant,
        _ isDraining: Bool
    ) -> Verdict {
        if hasPartOfHead(counts) {
            let began = headBegan ?? now
            headBegan = began
            return now - began >= limits.head ? .refuseHead : .wait
        }
        // The kernel holds the rest of the last response, and the client does not receive it.
        if counts.pending > 0 { return hasStalled(now) ? .close : .wait }
        let isFresh = headBytes == 0
        if isDraining { return !isFresh || now - arrival >= Self.drainPatience ? .close : .wait }
        return now - turnBegan >= (isFresh ? limits.idle : limits.keepAlive) ? .close : .wait
    }

    private func hasStalled(_ now: ContinuousClock.Instant) -> Bool {
        now - lastProgress >= limits.idle
    }

    private mutating func begin(_ turn: Turn, _ now: ContinuousClock.Instant) {
        lastTurn = turn
        turnBegan = now
        lastProgress = now
        headBegan = nil
    }
}
