import CalotypeCore
import Dispatch
import TaskFlow

/// Something that another thread may stop, at once and without waiting.
protocol Stoppable: Sendable {
    func stop()
}

/// Stops a decode from outside, whether it has begun or not, or when its time is up.
///
/// What works row by row asks; a computation of libvips, or a worker process, is told.
final class KillSwitch: Sendable {
    private struct State {
        /// Why the work was stopped.
        var stop: (any Error)?
        var work: (any Stoppable)?
    }

    private let state = Guarded(State())
    private let limit: Duration
    private let end: ContinuousClock.Instant
    private let clock = ContinuousClock()

    /// Creates the switch of work that begins now and may take `limit`.
    init(limit: Duration) {
        self.limit = limit
        end = clock.now + limit
    }

    /// Whether the work was stopped, or its time is up.
    var isPulled: Bool { stop != nil }

    /// Why the work has to stop; `nil` as long as it may go on.
    var stop: (any Error)? {
        if let stop = state.withLock({ $0.stop }) { return stop }
        guard clock.now >= end else { return nil }
        return pull(timeout)
    }

    /// The time that is left, none or less where it is up.
    var timeLeft: Duration { end - clock.now }

    /// Throws why the work has to stop, where it has.
    ///
    /// - Throws: `CancellationError`; `timeout_decode`.
    func check() throws {
        if let stop { throw stop }
    }

    /// Stops the work when the time is up, unless the timer is cancelled before; nobody has to be awaited then.
    ///
    /// A timer of the system and no task: the threads of the codec may all be busy, and the work that ends would have to
    /// wait for the task to end on a thread of its own.
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

    /// Names what the work now depends on, such as an image's computation.
    ///
    /// - Throws: as ``check()``: a kill before it existed is lost.
    func guards(_ work: any Stoppable) throws {
        state.withLock { $0.work = work }
        try check()
    }

    /// Lets go of it.
    func rest() {
        state.withLock { $0.work = nil }
    }

    /// Stops the work that runs, and all that is named later; the first reason stands.
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

/// Runs `body`, whose switch is pulled when the task is cancelled; an error after that is why it was pulled.
///
/// - Parameters:
///   - limit: The most time that `body` may take.
///   - asks: Whether all of `body` asks the switch; if not, the time is watched from beside it.
///   - body: Does the work.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws; `timeout_decode`; `CancellationError`.
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
