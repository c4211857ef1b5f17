public import CalotypeCore
public import TaskFlow

/// Loads pictures that will be needed soon into the pipeline's cache.
///
/// The cache then holds them ready in memory, or their sources on disk. The prefetcher loads a few at a time,
/// at low priority and in the order of the requests. A request in several lists is loaded once. A caller that
/// needs a picture during its prefetch shares the load and raises it to the caller's priority. Releasing the
/// prefetcher stops everything, and the pipeline awaits the loads in progress.
///
/// ```swift
/// let prefetcher = Prefetcher(pipeline.bitmapLoader)
/// let upcoming = prefetcher.start(nextScreen)
/// prefetcher.stop(scrolledAway)
/// ```
public final class Prefetcher: Sendable {
    private let queue: PrefetchQueue

    /// Creates a prefetcher without requests.
    ///
    /// - Parameters:
    ///   - loader: Loads the pictures; use the loader of the views that will show them.
    ///   - limit: The maximum number of concurrent loads, at least one; 4 by default.
    ///   - priority: The priority of the loads, low by default. The requests' own priorities are ignored.
    ///   - capacity: The maximum number of requests that wait or load in all lists together, 100,000 by
    ///     default; more are refused and counted as such.
    public init<Picture>(
        _ loader: ImageLoader<Picture>,
        limit: Int = 4,
        priority: WorkPriority = .low,
        capacity: Int = 100_000
    ) {
        queue = PrefetchQueue(
            scope: loader.scope,
            limit: max(limit, 1),
            capacity: capacity,
            priority: priority
        ) { request, priority in
            _ = try await loader.load(request, priority)
        }
    }

    /// Creates a prefetcher that stores sources on disk without decoding them.
    ///
    /// A fresh source in the store is not loaded. A source that cannot be stored counts as failed. Use it for
    /// pictures that exceed the memory, or whose sizes are not known yet.
    ///
    /// - Parameters:
    ///   - pipeline: Loads and stores the sources. Its cache must store sources
    ///     (``PipelineConfiguration/stores``).
    ///   - limit: The maximum number of concurrent loads, at least one; 4 by default.
    ///   - priority: The priority of the loads, low by default. The requests' own priorities are ignored.
    ///   - capacity: The maximum number of requests that wait or load in all lists together, 100,000 by
    ///     default; more are refused and counted as such.
    public convenience init(
        toDisk pipeline: ImagePipeline,
        limit: Int = 4,
        priority: WorkPriority = .low,
        capacity: Int = 100_000
    ) {
        let loader = ImageLoader<Void>(scope: pipeline.scope) { request, priority in
            try await pipeline.storeSource(of: request, priority: priority)
        }
        self.init(loader, limit: limit, priority: priority, capacity: capacity)
    }

    deinit {
        queue.close()
    }

    /// The number of waiting requests.
    public var waitingCount: Int { queue.waitingCount }

    /// The number of loads in progress.
    public var loadCount: Int { queue.runCount }

    /// Whether the prefetcher is paused.
    public var isPaused: Bool { queue.isPaused }

    /// The priority of the loads.
    ///
    /// A change also applies to loads in progress.
    public var priority: WorkPriority {
        get { queue.priority.current }
        set { queue.setPriority(newValue) }
    }

    /// Starts to load a list of requests, each once.
    ///
    /// - Parameters:
    ///   - requests: The requests; may be empty.
    ///   - ending: Called exactly once, when no request of the list waits or loads any more. Never called
    ///     inside a call of the prefetcher, unless the pipeline has ended.
    /// - Returns: A handle to cancel this list or wait for its end. Releasing it has no effect.
    @discardableResult
    public func start(
        _ requests: [ImageRequest],
        then ending: (@Sendable (PrefetchSummary) -> Void)? = nil
    ) -> PrefetchToken {
        let ended = Latch<PrefetchSummary>()
        let list = queue.add(Self.alike(requests)) { summary in
            ended.set(summary)
            ending?(summary)
        }
        return PrefetchToken(queue: queue, list: list, ended: ended)
    }

    /// Removes requests from all lists: drops waiting ones and cancels loads in progress.
    ///
    /// Requests that have not begun when this is called never begin.
    public func stop(_ requests: [ImageRequest]) {
        queue.stop(Self.alike(requests))
    }

    /// Stops everything.
    ///
    /// The prefetcher remains usable.
    public func stopAll() {
        queue.stopAll()
    }

    /// Delays requests that have not begun.
    ///
    /// Loads in progress continue.
    public func pause() {
        queue.pause()
    }

    /// Ends a pause.
    public func resume() {
        queue.resume()
    }

    /// Returns the requests without their own priority, which must not distinguish them here.
    private static func alike(_ requests: [ImageRequest]) -> [ImageRequest] {
        requests.map { request in
            var request = request
            request.priority = .normal
            return request
        }
    }
}

/// A handle to a prefetched list.
public struct PrefetchToken: Sendable {
    let queue: PrefetchQueue
    let list: PrefetchQueue.Machine.ListID
    let ended: Latch<PrefetchSummary>

    /// Cancels the list: no further request begins for it, and loads that only it wants are cancelled.
    ///
    /// Has no effect if called again or after the end.
    public func cancel() {
        queue.cancel(list)
    }

    /// The result of the list.
    ///
    /// Waits for its end.
    ///
    /// - Throws: `CancellationError` if the waiting task is cancelled; the list continues.
    public var summary: PrefetchSummary {
        get async throws { try await ended.wait() }
    }
}

/// The result of one prefetched list.
///
/// Each request counts once.
public struct PrefetchSummary: Hashable, Sendable {
    enum Outcome: Hashable, Sendable {
        case loaded, failed, stopped, refused
    }

    /// Loaded requests, including those that were cached already.
    public var loaded = 0
    /// Failed requests.
    public var failed = 0
    /// Requests that were stopped, or cancelled with the list, the prefetcher or the pipeline.
    public var stopped = 0
    /// Requests refused because too many were waiting.
    public var refused = 0

    /// Creates an empty summary.
    public init() {}

    /// The number of different requests in the list.
    public var total: Int { loaded + failed + stopped + refused }

    mutating func count(_ outcome: Outcome) {
        switch outcome {
        case .loaded: loaded += 1
        case .failed: failed += 1
        case .stopped: stopped += 1
        case .refused: refused += 1
        }
    }
}
