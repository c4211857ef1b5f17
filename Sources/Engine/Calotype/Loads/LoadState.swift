import CalotypeCore
import TaskFlow

/// What an image task and the work that it stands for share; the work does not hold the task.
final class LoadState<Picture: Sendable>: Sendable {
    private struct Work {
        var task: ScopedTask?
        var hasEnded = false
        var isCancelled = false
    }

    let priority: LivePriority
    let result = Latch<Result<Picture, any Error>>()
    let progress = Broadcast<SourceProgress> { $0.received < $1.received }
    let previews = Broadcast<Bitmap>()
    private let work = Guarded(Work())

    init(_ priority: LivePriority) {
        self.priority = priority
    }

    var isCancelled: Bool { work.withLock { $0.isCancelled } }

    /// Takes the task that does the work; it may be too late already.
    func attach(_ task: ScopedTask) {
        let isCancelled = work.withLock { work in
            work.task = task
            return work.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Ends with `outcome`, unless it has ended before.
    func finish(_ outcome: Result<Picture, any Error>) {
        let isFirst = work.withLock { work in
            defer { work = Work(hasEnded: true, isCancelled: work.isCancelled) }
            return !work.hasEnded
        }
        if isFirst { end(outcome) }
    }

    func cancel() {
        let (isFirst, task) = work.withLock { work -> (Bool, ScopedTask?) in
            guard !work.hasEnded else { return (false, nil) }
            defer { work = Work(task: work.task, hasEnded: true, isCancelled: true) }
            return (true, work.task)
        }
        task?.cancel()
        if isFirst { end(.failure(CancellationError())) }
    }

    private func end(_ outcome: Result<Picture, any Error>) {
        result.set(outcome)
        progress.finish()
        previews.finish()
    }
}
