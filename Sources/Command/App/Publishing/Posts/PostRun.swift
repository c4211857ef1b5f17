import CalotypePublish
import TaskFlow

/// A publication of a post that goes on in this process, or was the last to do so.
final class PostRun: Sendable {
    private struct State {
        var task: ScopedTask?
        var isCancelled = false
    }

    let progress: PublishProgress
    /// Set when all of it has ended and what came of it is written down.
    let ended = Latch<Void>()
    private let state = Guarded(State())

    init(clock: any Clock<Duration>) {
        progress = PublishProgress(clock: clock)
    }

    /// Whether somebody gave the post up; else a cancelled task means that the server ends.
    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Takes the task, to cancel it.
    func attach(_ task: ScopedTask) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Gives the post up: what is at the server is removed.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
