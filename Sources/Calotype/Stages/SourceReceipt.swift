import CalotypeCore

/// What a complete source had cost, and what its header told.
struct SourceReceipt: Sendable {
    let byteCount: ByteCount
    let attempts: Int
    let timings: LoadTimings
    let facts: ImageFacts?
    /// Which version it is; `nil` for what came from no origin.
    var version: SourceVersion?
    /// How a store helped.
    var cache = CacheUse.miss

    /// The failure of something that was made of the source.
    func failure(_ error: CalotypeError) -> LoadFailure {
        LoadFailure(error, attempts: attempts, timings: timings, source: facts, cache: cache)
    }
}
