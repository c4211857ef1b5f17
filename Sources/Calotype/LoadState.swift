import CalotypeCore
import TaskFlow

/// What an image task and the work that it stands for share; the work does not hold the task.
final class LoadState<Picture: Sendable>: Sendable {
    let priority: LivePriority
    let result = Latch<Result<Picture, any Error>>()
    let progress = Broadcast<SourceProgress> { $0.received < $1.received }
    let previews = Broadcast<Bitmap>()
    private let work = Guarded<(task: ScopedTask?, isCancelled: Bool)>((nil, false))

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
        result.set(outcome)
        progress.finish()
        previews.finish()
        work.withLock { $0.task = nil }
    }

    func cancel() {
        let task = work.withLock { work -> ScopedTask? in
            guard result.value == nil else { return nil }
            work.isCancelled = true
            return work.task
        }
        task?.cancel()
        finish(.failure(CancellationError()))
    }
}
