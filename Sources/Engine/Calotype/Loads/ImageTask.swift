public import CalotypeCore
public import TaskFlow

/// One load under way: its result, its progress, its priority, and the way to cancel it.
///
/// Get one from ``ImagePipeline/task(for:previews:)`` or ``ImagePipeline/bitmapTask(for:previews:)``. The load goes on
/// as long as somebody holds the task or reads from it: dropping the last reference cancels it.
public final class ImageTask<Picture: Sendable>: Sendable {
    /// What is loaded.
    public let request: ImageRequest
    let state: LoadState<Picture>

    init(_ request: ImageRequest, _ state: LoadState<Picture>) {
        self.request = request
        self.state = state
    }

    deinit {
        state.cancel()
    }

    /// The picture, once it is there.
    ///
    /// Any number of callers may wait for it. One whose own task is cancelled leaves alone, and the load goes on.
    ///
    /// - Throws: `CalotypeError`; `CancellationError`, at once, when the load or the waiting task is cancelled.
    public var value: Picture {
        get async throws { try await state.result.wait().get() }
    }

    /// Whether the load was cancelled before it had its result; true as soon as ``cancel()`` was called.
    public var isCancelled: Bool { state.isCancelled }

    /// How urgent the load is; a change takes effect at once, also for what it waits for.
    public var priority: WorkPriority {
        get { state.priority.current }
        set { state.priority.set(newValue) }
    }

    /// How much of the source has come, from where it stands now to the end of the load.
    ///
    /// It is empty where nothing had to be fetched. Every reader gets all of it; one that falls behind by more than 64
    /// states misses the oldest.
    public var progress: TaskUpdates<SourceProgress, Picture> {
        TaskUpdates(task: self, broadcast: state.progress)
    }

    /// Coarse pictures of a progressive JPEG while it comes, each finer than the one before, none after the result.
    ///
    /// It is empty unless the task was made with `previews: true`. A reader that falls behind misses the oldest.
    public var previews: TaskUpdates<Bitmap, Picture> {
        TaskUpdates(task: self, broadcast: state.previews)
    }

    /// Stops the load, unless somebody else wants the same; a second call, or one after the end, changes nothing.
    public func cancel() {
        state.cancel()
    }
}
