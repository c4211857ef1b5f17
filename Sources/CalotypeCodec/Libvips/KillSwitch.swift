import TaskFlow

/// Stops a computation of libvips from outside, whether it has begun or not.
final class KillSwitch: Sendable {
    private struct State {
        var isPulled = false
        var image: VipsImage?
    }

    private let state = Guarded(State())

    /// Whether the computation was stopped.
    var isPulled: Bool { state.withLock { $0.isPulled } }

    /// Names the image on whose computation the work now depends.
    ///
    /// - Throws: `CancellationError` where the switch was pulled already: a kill before the image existed is lost.
    func guards(_ image: VipsImage) throws {
        let isPulled = state.withLock { state in
            state.image = image
            return state.isPulled
        }
        if isPulled { throw CancellationError() }
    }

    /// Lets go of the image.
    func rest() {
        state.withLock { $0.image = nil }
    }

    /// Stops the computation that runs, and every one that is named later.
    func pull() {
        let image = state.withLock { state in
            state.isPulled = true
            return state.image
        }
        image?.kill()
    }
}

/// Runs `body`, whose switch is pulled when the task is cancelled; an error after that is the cancellation.
func withKillSwitch<Output>(_ body: (KillSwitch) throws -> Output) async throws -> Output {
    let killSwitch = KillSwitch()
    return try await withTaskCancellationHandler {
        do {
            defer { killSwitch.rest() }
            return try body(killSwitch)
        } catch {
            throw killSwitch.isPulled ? CancellationError() : error
        }
    } onCancel: {
        killSwitch.pull()
    }
}
