import CalotypeCore
import Dispatch
import TaskFlow

/// Stops a decode from outside, whether it has begun or not, or when its time is up.
///
/// What works row by row asks; a computation of libvips is told.
final class KillSwitch: Sendable {
    private struct State {
        /// Why the work was stopped.
        var stop: (any Error)?
        var image: VipsImage?
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

    /// Names the image on whose computation the work now depends.
    ///
    /// - Throws: as ``check()``: a kill before the image existed is lost.
    func guards(_ image: VipsImage) throws {
        state.withLock { $0.image = image }
        try check()
    }

    /// Lets go of the image.
    func rest() {
        state.withLock { $0.image = nil }
    }

    /// Stops the work that runs, and all that is named later; the first reason stands.
    @discardableResult
    func pull(_ reason: any Error = CancellationError()) -> any Error {
        let (stop, image) = state.withLock { state in
            let stop = state.stop ?? reason
            state.stop = stop
            return (stop, state.image)
        }
        image?.kill()
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
