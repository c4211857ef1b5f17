import CalotypeCore
import CalotypeHTTP
import TaskFlowTesting

/// Lets one exchange wait on the transport's clock, as long as the request's timeouts allow.
struct ScriptedTimer: Sendable {
    private let clock: any Clock<Duration>
    private let timeouts: HTTPTimeouts
    /// The time since the exchange began.
    private let elapsed: @Sendable () -> Duration

    init(_ clock: any Clock<Duration>, _ timeouts: HTTPTimeouts) {
        self.clock = clock
        self.timeouts = timeouts
        elapsed = Self.stopwatch(clock)
    }

    /// Waits as `step` says, and tells for how long.
    ///
    /// - Throws: The timeout that comes first; `CancellationError` when the task is cancelled.
    func wait(
        _ step: ScriptedStep,
        after waited: Duration,
        before expiry: HTTPTimeouts.Expiry
    ) async throws -> Duration {
        let start = elapsed()
        let (limit, expiry) = limit(after: waited, before: expiry, at: start)
        let isInTime: Bool
        switch step {
        case .pause(let time) where time < limit:
            try await clock.sleep(for: time)
            isInTime = true
        case .until(let event): isInTime = try await happens(event, within: limit)
        default:
            try await clock.sleep(for: limit)
            isInTime = false
        }
        try Task.checkCancellation()
        guard isInTime else { throw timeouts.error(expiry) }
        return elapsed() - start
    }

    /// How long the wait may take, and what it is then called.
    private func limit(
        after waited: Duration,
        before expiry: HTTPTimeouts.Expiry,
        at now: Duration
    ) -> (Duration, HTTPTimeouts.Expiry) {
        let phase = (expiry == .headers ? timeouts.headers : timeouts.idle) - waited
        guard let total = timeouts.total.map({ $0 - now }), total < phase else { return (phase, expiry) }
        return (total, .total)
    }

    private func happens(_ event: Event, within limit: Duration) async throws -> Bool {
        if event.hasHappened { return true }
        return try await withThrowingTaskGroup { group in
            group.addTask {
                try await event.wait()
                return true
            }
            group.addTask {
                try await clock.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }

    private static func stopwatch<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
