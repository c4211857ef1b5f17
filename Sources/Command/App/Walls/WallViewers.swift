import TaskFlow

/// Counts the requests that watch a run of a wall, and ends the run without them.
final class WallViewers: Sendable {
    private struct State {
        var count = 0
        /// When the count last changed, or somebody looked.
        var since: Duration
        var isCancelled = false
    }

    /// The time without viewers after which a run ends.
    private static let grace = Duration.seconds(60)

    private let clock: any Clock<Duration>
    private let stopwatch: Stopwatch
    /// Finished when the run is to end.
    private let state: LatestValue<State>

    init(_ clock: any Clock<Duration>) {
        self.clock = clock
        stopwatch = Stopwatch(clock)
        state = LatestValue(State(since: stopwatch.now))
    }

    /// The time until the run ends; `nil` if somebody watches it.
    var timeLeft: Duration? { state.current.flatMap { $0.count == 0 ? timeLeft(of: $0) : nil } }

    private func timeLeft(of state: State) -> Duration {
        max(Self.grace - (stopwatch.now - state.since), .zero)
    }

    /// Counts a viewer until `body` returns.
    func watching<Output>(_ body: () async throws -> Output) async rethrows -> Output {
        change(by: 1)
        defer { change(by: -1) }
        return try await body()
    }

    private func change(by count: Int) {
        let now = stopwatch.now
        state.update { state in
            state.count += count
            state.since = now
            return false
        }
    }

    /// Counts a short look at the wall: the time without viewers begins again.
    func look() { change(by: 0) }

    /// Ends the run.
    func cancel() {
        state.update { state in
            state.isCancelled = true
            return true
        }
    }

    /// Ends the run unless somebody watches it; returns whether it does.
    func abandon() -> Bool {
        state.update { $0.count == 0 }
    }

    /// Ends the run if its time without viewers is over; returns whether it is.
    private func expire() -> Bool {
        state.update { $0.count == 0 && timeLeft(of: $0) == .zero }
    }

    /// Waits until the run is cancelled or abandoned.
    func untilLeft() async -> WallRun.Ending {
        for await now in state.makeReader() where now.count == 0 {
            var left = timeLeft(of: now)
            while await staysEmpty(for: left) {
                if expire() { return .abandoned }
                // Somebody looked meanwhile.
                guard let rest = timeLeft else { break }
                left = rest
            }
        }
        return Task.isCancelled || state.current?.isCancelled == true ? .cancelled : .abandoned
    }

    /// Waits for a viewer, and returns whether none came in time.
    private func staysEmpty(for time: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await now in self.state.makeReader() where now.count > 0 { break }
                return false
            }
            group.addTask { (try? await self.clock.sleep(for: time)) != nil }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}
