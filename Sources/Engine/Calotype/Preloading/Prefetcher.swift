public import CalotypeCore
public import TaskFlow

/// Loads pictures that will be wanted soon, so that the pipeline's cache has them then: finished in memory, or their
/// sources on the disk.
///
/// It loads a few at a time, at low priority, and in the order in which they were asked for. What several lists want is
/// loaded once. Somebody who wants a picture that is being prefetched shares the load, which then becomes as urgent as
/// they say. Letting go of the prefetcher stops everything; the pipeline awaits what was under way.
///
/// ```swift
/// let prefetcher = Prefetcher(pipeline.bitmapLoader)
/// let upcoming = prefetcher.start(nextScreen)
/// prefetcher.stop(scrolledAway)
/// ```
public final class Prefetcher: Sendable {
    private let queue: PrefetchQueue

    /// Creates a prefetcher that loads nothing yet.
    ///
    /// - Parameters:
    ///   - loader: Loads the pictures; use the one whose pictures will be wanted.
    ///   - limit: How many load at a time, 4 unless given, at least one.
    ///   - priority: How urgent the loads are, low unless given; that of a request is of no meaning here.
    ///   - capacity: How many requests wait or load at a time in all lists together, 100,000 unless given; more are
    ///     refused and counted as such.
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

    /// Creates a prefetcher that brings sources to the disk, and decodes nothing.
    ///
    /// A source that is stored already and fresh is not loaded; one that could not be stored counts as failed. It is of use
    /// where more will be wanted than fits into memory, or in sizes that are not known yet.
    ///
    /// - Parameters:
    ///   - pipeline: Loads and stores the sources: it has a cache that keeps them (``PipelineConfiguration/stores``).
    ///   - limit: How many load at a time, 4 unless given, at least one.
    ///   - priority: How urgent the loads are, low unless given; that of a request is of no meaning here.
    ///   - capacity: How many requests wait or load at a time in all lists together, 100,000 unless given; more are
    ///     refused and counted as such.
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

    /// The number of requests that wait for their turn.
    public var waitingCount: Int { queue.waitingCount }

    /// The number of loads that have not ended.
    public var loadCount: Int { queue.runCount }

    /// Whether new loads are held back.
    public var isPaused: Bool { queue.isPaused }

    /// How urgent the loads are; a change holds for those under way too.
    public var priority: WorkPriority {
        get { queue.priority.current }
        set { queue.setPriority(newValue) }
    }

    /// Begins to load a list of requests, each once.
    ///
    /// - Parameters:
    ///   - requests: What to load; it may be empty.
    ///   - ending: Called exactly once when nothing of the list waits or loads any more, never inside a call of the
    ///     prefetcher, unless the pipeline has ended.
    /// - Returns: A handle to cancel this list or wait for its end; letting go of it changes nothing.
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

    /// Takes requests out of all lists: what waits is dropped, what is under way is cancelled.
    ///
    /// What has not begun when this is called never begins.
    public func stop(_ requests: [ImageRequest]) {
        queue.stop(Self.alike(requests))
    }

    /// Stops everything; the prefetcher can be used on.
    public func stopAll() {
        queue.stopAll()
    }

    /// Holds back what has not begun; loads under way go on.
    public func pause() {
        queue.pause()
    }

    /// Goes on after a pause.
    public func resume() {
        queue.resume()
    }

    /// The requests without their own priority, which must not tell two apart here.
    private static func alike(_ requests: [ImageRequest]) -> [ImageRequest] {
        requests.map { request in
            var request = request
            request.priority = .normal
            return request
        }
    }
}

/// A handle on one list that is being prefetched.
public struct PrefetchToken: Sendable {
    let queue: PrefetchQueue
    let list: PrefetchQueue.Machine.ListID
    let ended: Latch<PrefetchSummary>

    /// Ends the list: nothing more is begun for it, and what is under way only for it is cancelled.
    ///
    /// A second call changes nothing, nor does one after the end.
    public func cancel() {
        queue.cancel(list)
    }

    /// Waits for the end of the list, and tells what became of it.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled; the list goes on.
    public var summary: PrefetchSummary {
        get async throws { try await ended.wait() }
    }
}

/// What became of the requests of one prefetched list, each counted once.
public struct PrefetchSummary: Hashable, Sendable {
    enum Outcome: Hashable, Sendable {
        case loaded, failed, stopped, refused
    }

    /// Those that are loaded; one that the cache had already counts too.
    public var loaded = 0
    /// Those that could not be loaded.
    public var failed = 0
    /// Those that were stopped, or cancelled with the list, the prefetcher or the pipeline.
    public var stopped = 0
    /// Those that were not taken, because too many waited already.
    public var refused = 0

    /// Creates a summary of nothing.
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
