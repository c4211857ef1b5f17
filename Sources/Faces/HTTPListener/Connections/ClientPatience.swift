import CalotypeCMicroHTTPD

/// Decides when a client has kept us waiting for too long, from what the kernel counts of its connection.
///
/// The counts are looked at from time to time, so that a client is found out one look late at most.
package struct ClientPatience {
    /// What a client may do, of the listener's configuration.
    package struct Limits: Hashable {
        var idle = Duration.seconds(10)
        var keepAlive = Duration.seconds(90)
        var head = Duration.seconds(10)
        /// Bytes that have to be moved within ``idle``.
        var idleBytes: UInt64 = 1000
    }

    /// Whose turn it is.
    enum Turn {
        /// The client may send its next request.
        case betweenRequests
        /// The client sends a body or takes an answer.
        case client
        /// It waits for us.
        case listener
    }

    enum Verdict: Hashable {
        case wait
        /// Close without a word.
        case close
        /// Tell that the head did not come in time, and close.
        case refuseHead
    }

    /// How long a client that has just connected may take to send its first byte while the listener drains.
    static let drainPatience = Duration.seconds(1)

    let limits: Limits
    private let arrival: ContinuousClock.Instant
    private var lastTurn: Turn
    /// Since when the turn lasts.
    private var turnBegan: ContinuousClock.Instant
    private var headBegan: ContinuousClock.Instant?
    private var lastProgress: ContinuousClock.Instant
    private var countsThen = calotype_tcp_counts()
    /// The bytes of all heads that were read.
    private var headBytes: UInt64 = 0

    init(_ limits: Limits, now: ContinuousClock.Instant) {
        self.limits = limits
        arrival = now
        lastTurn = .betweenRequests
        turnBegan = now
        lastProgress = now
    }

    /// A head of `bytes` was read.
    mutating func headCame(_ bytes: Int) {
        headBytes += UInt64(bytes)
    }

    /// A request was answered, and the client may send the next.
    mutating func requestEnded(_ now: ContinuousClock.Instant) {
        begin(.betweenRequests, now)
    }

    /// Whether bytes came that belong to no head that was read.
    func hasPartOfHead(_ counts: calotype_tcp_counts) -> Bool {
        counts.received > headBytes
    }

    /// Looks at what has become of a client.
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
        // The last answer is with the kernel, and the client does not take it.
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
