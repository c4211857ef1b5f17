import TaskFlow

/// Where sources are waited for: callers of one source share its download.
final class SourceStage: Sendable {
    let loader: SourceLoader
    let feeds = SourceFeeds()
    private let flights: Coalescer<SourceKey, LoadedSource>
    private let live = LiveSources()

    init(_ loader: SourceLoader, scope: TaskScope) {
        self.loader = loader
        flights = Coalescer(scope: scope, name: "source")
    }

    /// The downloads under way, cancelled ones included.
    var flightCount: Int { flights.flightCount }
    /// The complete sources that somebody works on.
    var liveCount: Int { live.count }

    /// Makes the source complete on this machine, or takes it from those who hold it.
    ///
    /// Whoever uses it calls ``LoadedSource/stay()`` when done.
    ///
    /// - Throws: `LoadFailure`; `CancellationError`.
    func source(for key: SourceKey, priority: LivePriority) async throws -> LoadedSource {
        try await find(key, priority: priority).source
    }

    /// The same, and whether this call has made it come.
    func find(
        _ key: SourceKey,
        priority: LivePriority
    ) async throws -> (source: LoadedSource, origin: PipelineEvent.Origin) {
        if let source = lent(key) { return (source, .shared) }
        let origin = Guarded(PipelineEvent.Origin.shared)
        let source = try await flights.value(for: key, priority: priority) { flight in
            // It may have come between the look-up and the start.
            if let source = self.lent(key) { return source }
            origin.withLock { $0 = .own }
            let feed = self.feeds.open(key)
            defer { self.feeds.close(key) }
            let (body, receipt) = try await self.loader.load(key, priority: flight.priority, feed: feed)
            let source = LoadedSource(body, receipt) { [live = self.live] in live.forget(key) }
            self.live.insert(source, for: key)
            LoadEvents.emit(.received(receipt.byteCount))
            return source
        }
        return (source, origin.withLock { $0 })
    }

    private func lent(_ key: SourceKey) -> LoadedSource? {
        key.cachePolicy == .reload ? nil : live.source(for: key)
    }
}
