/// A clock that stands still until the test moves it.
public final class ManualClock: Clock {
    /// A moment, measured from the clock's creation.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public let offset: Duration

        /// Creates the moment that is `offset` after the clock's creation.
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
        let id: UInt64
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        /// The sleepers in the order in which they fell asleep.
        var sleepers: [Sleeper] = []
        var lastID: UInt64 = 0

        /// The next moment at which a sleeper wakes.
        var nextDeadline: Instant? { sleepers.map(\.deadline).min() }

        /// Moves to `moment` and removes the sleepers that are due.
        ///
        /// Returns them earliest first, and those with equal deadlines in the order in which they fell
        /// asleep.
        mutating func move(to moment: Instant) -> [Sleeper] {
            now = max(now, moment)
            let due = sleepers.filter { $0.deadline <= now }.sorted {
                ($0.deadline, $0.id) < ($1.deadline, $1.id)
            }
            sleepers.removeAll { $0.deadline <= now }
            return due
        }
    }

    private let state = Watched(State())

    /// Creates a clock that shows zero.
    public init() {}

    /// The moment that the test has moved the clock to.
    public var now: Instant { state.current.now }

    /// The smallest difference between two moments: zero, because the clock is exact.
    public var minimumResolution: Duration { .zero }

    /// The number of tasks that sleep on the clock.
    public var sleepers: Int { state.current.sleepers.count }

    /// Waits until at least `count` tasks sleep on the clock.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func waitForSleepers(_ count: Int) async throws {
        try await state.wait { $0.sleepers.count >= count }
    }

    /// Waits until a task sleeps on the clock that wakes exactly `duration` from now.
    ///
    /// Use it if several tasks may sleep on the clock, and the test waits for one of them.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func waitForSleeper(wakingIn duration: Duration) async throws {
        try await state.wait { state in
            state.sleepers.contains { $0.deadline == state.now.advanced(by: duration) }
        }
    }

    /// Moves the clock, and wakes the sleepers that are due, the earliest first.
    public func advance(by duration: Duration) {
        wake(state.change { $0.move(to: $0.now.advanced(by: duration)) })
    }

    /// Moves the clock to the moment at which the next sleeper wakes.
    ///
    /// Returns `false` if nothing sleeps.
    @discardableResult
    public func advanceToNextSleeper() -> Bool {
        let due = state.change { state in state.nextDeadline.map { state.move(to: $0) } }
        wake(due ?? [])
        return due != nil
    }

    /// Sleeps until the test has moved the clock to `deadline`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.change { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enter(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            leave(id)
        }
    }

    private func enter(_ sleeper: Sleeper) {
        let outcome = state.change { state -> Result<Void, any Error>? in
            if Task.isCancelled { return .failure(CancellationError()) }
            if sleeper.deadline <= state.now { return .success(()) }
            state.sleepers.append(sleeper)
            return nil
        }
        if let outcome { sleeper.continuation.resume(with: outcome) }
    }

    private func leave(_ id: UInt64) {
        let sleeper = state.change { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }

    private func wake(_ sleepers: [Sleeper]) {
        for sleeper in sleepers { sleeper.continuation.resume() }
    }
}
