import CalotypeCore
import Dispatch
import TaskFlow

/// Work that another thread may stop, immediately and without waiting.
protocol Stoppable: Sendable {
    func stop()
}

/// Stops a decode from outside, before or after it has begun, or when its time is up.
///
/// Row-by-row work checks the switch. The switch itself stops a computation of libvips or a worker process.
final class KillSwitch: Sendable {
    private struct State {
        /// The reason why the work was stopped.
        var stop: (any Error)?
        var work: (any Stoppable)?
    }

    private let state = Guarded(State())
    private let limit: Duration
    private let end: ContinuousClock.Instant
    private let clock = ContinuousClock()

    /// Creates the switch for work that begins now and may take `limit`.
    init(limit: Duration) {
        self.limit = limit
        end = clock.now + limit
    }

    /// Whether the work was stopped, or its time is up.
    var isPulled: Bool { stop != nil }

    /// The reason why the work must stop; `nil` while it may continue.
    var stop: (any Error)? {
        if let stop = state.withLock({ $0.stop }) { return stop }
        guard clock.now >= end else { return nil }
        return pull(timeout)
    }

    /// The time that is left; zero or less if it is up.
    var timeLeft: Duration { end - clock.now }

    /// Throws if the work must stop.
    ///
    /// - Throws: `CancellationError`; `timeout_decode`.
    func check() throws {
        if let stop { throw stop }
    }

    /// Creates a timer that stops the work when its time is up, unless the timer is cancelled first.
    ///
    /// The timer need not be awaited. It is a timer of the system and not a task: the threads of the codec
    /// may all be busy, and ending work would then have to wait for the task to end on one of these threads.
    func timer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
        timer.schedule(deadline: .now() + seconds)
        timer.setEventHandler { self.pull(self.timeout) }
        timer.resume()
        return timer
    }

    private var timeout: CalotypeError {
        CalotypeError(.timeoutDecode, "the decode took longer than its limit of \(limit)", stage: .decode)
    }

    /// Sets the work to stop, such as an image's computation.
    ///
    /// - Throws: The errors of ``check()``, because a pull before this had nothing to stop.
    func guards(_ work: any Stoppable) throws {
        state.withLock { $0.work = work }
        try check()
    }

    /// Releases the work.
    func rest() {
        state.withLock { $0.work = nil }
    }

    /// Stops the current work, and all work set later; the first reason counts.
    @discardableResult
    func pull(_ reason: any Error = CancellationError()) -> any Error {
        let (stop, work) = state.withLock { state in
            let stop = state.stop ?? reason
            state.stop = stop
            return (stop, state.work)
        }
        work?.stop()
        return stop
    }
}

/// Runs `body`, and pulls its switch when the task is cancelled.
///
/// After a pull, a later error is reported as the reason for the pull.
///
/// - Parameters:
///   - limit: The maximum time of `body`.
///   - asks: Whether all of `body` checks the switch; if not, a timer watches the time.
///   - body: Does the work.
/// - Returns: What `body` returns.
/// - Throws: Any error from `body`; `timeout_decode`; `CancellationError`.
func withKillSwitch<Output>(
    limit: Duration,
    asks: Bool = true,
    _ body: (KillSwitch) throws -> Output
) async throws -> Output {
    let killSwitch = KillSwitch(limit: limit)
    return try await withTaskCancellationHandler {
        guard !asks else { return try guarded(killSwitch, body) }
        let timer = killSwitch.timer()
        defer { timer.cancel() }
        return try guarded(killSwitch, body)
    } onCancel: {
        killSwitch.pull()
    }
}

private func guarded<Output>(
    _ killSwitch: KillSwitch,
    _ body: (KillSwitch) throws -> Output
) throws -> Output {
    do {
        defer { killSwitch.rest() }
        return try body(killSwitch)
    } catch {
        throw killSwitch.stop ?? error
    }
}

extension VipsImage: Stoppable {
    func stop() {
        kill()
    }
}
