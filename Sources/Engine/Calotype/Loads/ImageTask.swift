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
        TaskUpdates(task: self, values: state.progress)
    }

    /// Coarse pictures of a progressive JPEG while it comes, each finer than the one before, none after the result.
    ///
    /// It is empty unless the task was made with `previews: true`. A reader that falls behind misses the oldest.
    public var previews: TaskUpdates<Bitmap, Picture> {
        TaskUpdates(task: self, values: state.previews)
    }

    /// Stops the load, unless somebody else wants the same; a second call, or one after the end, changes nothing.
    public func cancel() {
        state.cancel()
    }
}

/// How much of a source has come.
public struct SourceProgress: Hashable, Sendable {
    /// The bytes that have come; never fewer than before, also when a failed attempt is begun anew.
    public let received: ByteCount
    /// The bytes that the origin announced, never fewer than have come; `nil` where it did not say.
    public let expected: ByteCount?

    /// Creates a state of progress.
    public init(received: ByteCount, expected: ByteCount?) {
        self.received = received
        self.expected = expected.map { max($0, received) }
    }

    /// What has come of what was announced, 0 to 1; `nil` where nothing was announced.
    public var fraction: Double? {
        expected.map { $0.bytes == 0 ? 1 : Double(received.bytes) / Double($0.bytes) }
    }
}

extension ImagePipeline {
    /// Starts loading the rendition that `request` asks for, and gives a handle on the load.
    ///
    /// - Parameters:
    ///   - request: what is wanted.
    ///   - previews: whether ``ImageTask/previews`` shows progressive pictures while they come; they cost decodes.
    /// - Returns: the load under way; in a pipeline that has ended, one that has failed with `pipeline_closed`.
    public func task(for request: ImageRequest, previews: Bool = false) -> ImageTask<Rendition> {
        start(request, previews) { request, priority, watch in
            try await self.withoutCosts { try await self.load(request, priority: priority, watch: watch) }
        }
    }

    /// Starts loading the pixels that `request` asks for, and gives a handle on the load.
    ///
    /// - Parameters:
    ///   - request: what is wanted; its output format is of no meaning.
    ///   - previews: whether ``ImageTask/previews`` shows progressive pictures while they come; they cost decodes.
    /// - Returns: the load under way; in a pipeline that has ended, one that has failed with `pipeline_closed`.
    public func bitmapTask(for request: ImageRequest, previews: Bool = false) -> ImageTask<Bitmap> {
        start(request, previews) { request, priority, watch in
            try await self.bitmap(for: request, priority: priority, watch: watch)
        }
    }

    private func start<Picture: Sendable>(
        _ request: ImageRequest,
        _ previews: Bool,
        _ load: @escaping @Sendable (ImageRequest, LivePriority, SourceFeed.Observer) async throws -> Picture
    ) -> ImageTask<Picture> {
        let state = LoadState<Picture>(LivePriority(request))
        let maker = previews ? PreviewMaker(self, request, state.priority) { state.previews.send($0) } : nil
        var watch = SourceFeed.Observer { progress in
            state.progress.send(progress) { $0.received < progress.received }
        }
        if let maker { watch.prefix = { maker.take($0, $1) } }
        do {
            let task = try scope.start(name: "load", priority: request.priority.taskPriority) { [watch] in
                let result: Result<Picture, any Error>
                do {
                    result = .success(try await load(request, state.priority, watch))
                } catch {
                    result = .failure(error)
                }
                maker?.end()
                state.finish(result)
            }
            state.attach(task)
        } catch {
            state.finish(.failure(Self.closedError))
        }
        return ImageTask(request, state)
    }
}

/// What an image task and the work that it stands for share; the work does not hold the task.
final class LoadState<Picture: Sendable>: Sendable {
    private struct Work {
        var task: ScopedTask?
        var hasEnded = false
        var isCancelled = false
    }

    let priority: LivePriority
    let result = Latch<Result<Picture, any Error>>()
    let progress = LatestValue<SourceProgress>(keeping: 64)
    let previews = LatestValue<Bitmap>(keeping: 64)
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

extension LivePriority {
    /// As urgent as `request` says.
    convenience init(_ request: ImageRequest) {
        self.init(request.priority, deadline: request.deadline)
    }

    /// Takes over what the request hook has changed; what it left alone the caller may have set anew meanwhile.
    func follow(_ prepared: ImageRequest, from request: ImageRequest) {
        if prepared.priority != request.priority { set(prepared.priority) }
        if prepared.deadline != request.deadline { set(deadline: prepared.deadline) }
    }
}
