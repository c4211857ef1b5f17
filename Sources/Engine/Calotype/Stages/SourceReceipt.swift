import CalotypeCore

/// What a complete source had cost, and what its header told.
final class SourceReceipt: Sendable {
    let byteCount: ByteCount
    let attempts: Int
    let timings: LoadTimings
    let facts: ImageFacts?
    /// Which version it is; `nil` for what came from no origin.
    let version: SourceVersion?
    /// How a store helped.
    let cache: CacheUse

    init(
        byteCount: ByteCount,
        attempts: Int,
        timings: LoadTimings,
        facts: ImageFacts?,
        version: SourceVersion? = nil,
        cache: CacheUse = .miss
    ) {
        self.byteCount = byteCount
        self.attempts = attempts
        self.timings = timings
        self.facts = facts
        self.version = version
        self.cache = cache
    }

    /// The failure of something that was made of the source.
    func failure(_ error: CalotypeError) -> LoadFailure {
        LoadFailure(error, attempts: attempts, timings: timings, source: facts, cache: cache)
    }
}
