import TaskFlow

/// The time that one source may take: its attempts and the pauses between them, not the wait for permits.
final class TimeAllowance: Sendable {
    private let left: Guarded<Duration>

    init(_ total: Duration) {
        left = Guarded(total)
    }

    /// What is left, never negative.
    var remaining: Duration {
        max(left.withLock { $0 }, .zero)
    }

    /// Takes `time` off.
    func charge(_ time: Duration) {
        left.withLock { $0 -= time }
    }

    /// A random pause up to `ceiling`, taken off at once.
    func pause(_ ceiling: Duration) -> Duration {
        let pause = RetryPolicy.fullJitter(ceiling)
        charge(pause)
        return pause
    }
}
