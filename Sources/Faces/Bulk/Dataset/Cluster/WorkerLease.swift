import TaskFlow

/// The time until which a worker may fetch and complete shards; the program that hands out the work renews it.
///
/// A worker that nobody talks to any more stops by itself, because its shards have been given to others.
final class WorkerLease: Sendable {
    private let clock: any Clock<Duration>
    private let stopwatch: Stopwatch
    /// The end of the lease.
    private let end = LatestValue<Duration>()

    init(_ clock: any Clock<Duration>) {
        self.clock = clock
        stopwatch = Stopwatch(clock)
    }

    /// The remaining time; zero without a lease.
    var remaining: Duration { max((end.current ?? .zero) - stopwatch.now, .zero) }

    /// Whether the lease has not ended.
    var isHeld: Bool { remaining > .zero }

    /// Lets the lease end after `time` from now.
    func renew(for time: Duration) { end.send(stopwatch.now + time) }

    /// Waits until there is a lease.
    ///
    /// - Returns: `false` if the task is cancelled first.
    func waitUntilHeld() async -> Bool {
        for await end in end.makeReader() where end > stopwatch.now { return true }
        return false
    }

    /// Waits until the lease has ended, or the task is cancelled.
    func waitForEnd() async {
        while isHeld, (try? await clock.sleep(for: remaining)) != nil {}
    }
}
