public import CalotypeCore
public import TaskFlow

/// A load in progress: its result, its progress and its priority.
///
/// Get one from ``ImagePipeline/task(for:previews:)`` or ``ImagePipeline/bitmapTask(for:previews:)``.
/// Releasing the last reference to the task and its sequences cancels the load.
public final class ImageTask<Picture: Sendable>: Sendable {
    /// The request.
    public let request: ImageRequest
    let state: LoadState<Picture>

    init(_ request: ImageRequest, _ state: LoadState<Picture>) {
        self.request = request
        self.state = state
    }

    deinit {
        state.cancel()
    }

    /// The picture; waits for the result.
    ///
    /// Any number of callers may wait. If the task of one is cancelled, the load continues for the others.
    ///
    /// - Throws: `CalotypeError`; `CancellationError`, immediately, when the load or the waiting task is
    ///   cancelled.
    public var value: Picture {
        get async throws { try await state.result.wait().get() }
    }

    /// Whether the load was cancelled before it had its result; `true` as soon as ``cancel()`` was called.
    public var isCancelled: Bool { state.isCancelled }

    /// The priority of the load; a change takes effect immediately, also for the work that the load waits for.
    public var priority: WorkPriority {
        get { state.priority.current }
        set { state.priority.set(newValue) }
    }

    /// The progress of the download, from its current state to the end of the load.
    ///
    /// The sequence is empty if nothing is downloaded. Each reader receives all states; a reader that falls
    /// behind by more than 64 states misses the oldest.
    public var progress: TaskUpdates<SourceProgress, Picture> {
        TaskUpdates(task: self, values: state.progress)
    }

    /// Coarse previews of a progressive JPEG while it arrives, each finer than the last.
    ///
    /// None follows the result. The sequence is empty unless the task was created with `previews: true`. A
    /// slow reader misses the oldest previews.
    public var previews: TaskUpdates<Bitmap, Picture> {
        TaskUpdates(task: self, values: state.previews)
    }

    /// Cancels the load, unless other callers share it; has no effect after the end.
    public func cancel() {
        state.cancel()
    }
}

/// The progress of a download.
public struct SourceProgress: Hashable, Sendable {
    /// The number of received bytes; it never decreases, even if a failed attempt starts again.
    public let received: ByteCount
    /// The announced number of bytes, at least ``received``; `nil` if the origin announced none.
    public let expected: ByteCount?

    /// Creates a progress value.
    public init(received: ByteCount, expected: ByteCount?) {
        self.received = received
        self.expected = expected.map { max($0, received) }
    }

    /// The received part of the announced bytes, from 0 to 1; `nil` if the origin announced none.
    public var fraction: Double? {
        expected.map { $0.bytes == 0 ? 1 : Double(received.bytes) / Double($0.bytes) }
    }
}

extension ImagePipeline {
    /// Starts loading the rendition for `request`, and returns a handle on the load.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - previews: Whether ``ImageTask/previews`` contains previews of progressive pictures, which cost
    ///     decodes.
    /// - Returns: The load; if the pipeline has ended, a load that has failed with `pipeline_closed`.
    public func task(for request: ImageRequest, previews: Bool = false) -> ImageTask<Rendition> {
        start(request, previews) { request, priority, watch in
            try await self.load(request, priority: priority, watch: watch)
        }
    }

    /// Starts decoding the picture for `request` to pixels, and returns a handle on the load.
    ///
    /// - Parameters:
    ///   - request: The request; its output format is ignored.
    ///   - previews: Whether ``ImageTask/previews`` contains previews of progressive pictures, which cost
    ///     decodes.
    /// - Returns: The load; if the pipeline has ended, a load that has failed with `pipeline_closed`.
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

/// The state shared by an image task and its work, which has no reference to the task.
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

    /// Sets the task that does the work, and cancels it if the load was cancelled before.
    func attach(_ task: ScopedTask) {
        let isCancelled = work.withLock { work in
            work.task = task
            return work.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Ends with `outcome`, unless the load has ended already.
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
    /// Creates the priority of `request`.
    convenience init(_ request: ImageRequest) {
        self.init(request.priority, deadline: request.deadline)
    }

    /// Adopts what the request hook changed; the caller may have set the rest in the meantime.
    func follow(_ prepared: ImageRequest, from request: ImageRequest) {
        if prepared.priority != request.priority { set(prepared.priority) }
        if prepared.deadline != request.deadline { set(deadline: prepared.deadline) }
    }
}
