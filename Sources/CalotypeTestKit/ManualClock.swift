internal import TaskFlow

/// A clock that stands still until the test moves it.
public final class ManualClock: Clock {
    /// A moment, told by the time since the clock was made.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public let offset: Duration

        /// Creates the moment that is `offset` after the clock was made.
        public init(offset: Duration) {
            self.offset = offset
        }

        /// The moment that is `duration` later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// The time from this moment to the other.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Orders moments by time.
        public static func < (lhs: Instant, rhs: Instant) -> Bool {
            lhs.offset < rhs.offset
        }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [UInt64: Sleeper] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Guarded(State())
    private let sleeping = Level()

    /// Creates a clock that shows zero.
    public init() {}

    /// The moment that the test has moved the clock to.
    public var now: Instant { state.withLock { $0.now } }

    /// Exact.
    public var minimumResolution: Duration { .zero }

    /// How many tasks sleep on the clock.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// Waits until at least `count` tasks sleep on the clock.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func waitForSleepers(_ count: Int) async throws {
        try await sleeping.reach(count)
    }

    /// Moves the clock, and wakes those whose time has come, the earliest first.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.value.deadline <= now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        sleeping.add(-due.count)
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Sleeps until the test has moved the clock to `deadline`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enter(id, Sleeper(deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            leave(id)
        }
    }

    private func enter(_ id: UInt64, _ sleeper: Sleeper) {
        let outcome = state.withLock { state -> Result<Void, any Error>? in
            if Task.isCancelled { return .failure(CancellationError()) }
            if sleeper.deadline <= state.now { return .success(()) }
            state.sleepers[id] = sleeper
            return nil
        }
        if let outcome { sleeper.continuation.resume(with: outcome) } else { sleeping.add(1) }
    }

    private func leave(_ id: UInt64) {
        guard let sleeper = state.withLock({ $0.sleepers.removeValue(forKey: id) }) else { return }
        sleeping.add(-1)
        sleeper.continuation.resume(throwing: CancellationError())
    }
}
