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
