import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import TaskFlow

/// Looks pictures up in memory, in flights and in the store, and makes those that none of them has.
final class PictureStage: Sendable {
    private let sources: SourceStage
    private let decodes: DecodeStage
    /// What two callers must have in common to share a flight.
    private struct Flight: Hashable, Sendable {
        let picture: RenditionKey
        /// When its source last changed.
        let moment: SourceChanges.Moment
    }

    private let flights: SharedFlights<Flight, Picture>
    private let kept: StoredPictures
    private let judge: CacheJudge
    private let changes: SourceChanges
    private let renewals: Renewals

    init(
        _ decodes: DecodeStage,
        sources: SourceStage,
        kept: StoredPictures,
        judge: CacheJudge,
        changes: SourceChanges,
        clock: Stopwatch,
        scope: TaskScope
    ) {
        self.decodes = decodes
        self.sources = sources
        self.kept = kept
        self.judge = judge
        self.changes = changes
        flights = SharedFlights(scope: scope, name: "picture", clock: clock)
        renewals = Renewals(scope: scope)
    }

    /// The number of pictures in progress, cancelled ones included.
    var flightCount: Int { flights.flightCount }

    /// Returns the picture, or a larger one if that is allowed, from memory if it needs no revalidation.
    func cached(_ query: inout PictureQuery, orLarger allowsLarger: Bool = false) -> Picture? {
        let key = query.key
        guard let picture = kept.inMemory(&query) else {
            return allowsLarger ? kept.larger(key) { judge.isFresh($0, key.cachePolicy) } : nil
        }
        guard judge.isFresh(picture, key.cachePolicy) else {
            query.kept = nil
            return nil
        }
        query.kept?.freshUntil = key.cachePolicy == .immutable ? nil : picture.provenance.freshUntil
        return picture
    }

    /// Whether memory still has the picture, and it needs no revalidation; counts as another use of it.
    func cachedAgain(_ picture: KeptPicture) -> Bool {
        judge.isFresh(until: picture.freshUntil) && kept.memory.useValue(at: picture.place)
    }

    /// Returns the picture if the store has it, it needs no revalidation, and nobody is making it.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func stored(_ query: inout PictureQuery) async throws -> Picture? {
        let key = query.key
        let flight = flight(key)
        query.moment = flight.moment
        guard !flights.hasFlight(for: flight), let picture = try await kept.find(&query),
            case .serve(let use, asksMeanwhile: false) = verdict(picture, key)
        else { return nil }
        return served(picture, use)
    }

    /// Whether the picture has to be made, as far as is known.
    func isMissing(_ query: inout PictureQuery) -> Bool {
        cached(&query) == nil && !flights.hasFlight(for: flight(query.key))
    }

    private func flight(_ key: RenditionKey) -> Flight {
        Flight(picture: key, moment: changes.moment(of: key.sourceIdentity))
    }

    /// The contents of the memory cache.
    var memorySnapshot: MemoryCacheSnapshot { kept.memorySnapshot }

    /// Returns the picture if memory or the store has it and it may be used without its origin, stale or not.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func held(_ query: PictureQuery) async throws -> Picture? {
        var query = query
        query.moment = flight(query.key).moment
        guard let picture = try await kept.find(&query), case .serve(let use, _) = verdict(picture, query.key)
        else { return nil }
        return picture.obtained(from: picture.provenance.origin, use)
    }

    /// Removes the pictures of a group, or all if it is `nil`, from memory.
    func removeFromMemory(_ group: StoreGroup?) {
        kept.removeFromMemory(group)
    }

    /// Removes the picture from the caches, and waits until the store has done so.
    ///
    /// - Throws: `CalotypeError`; `CancellationError`.
    func finishRemoving(_ key: RenditionKey) async throws {
        try await kept.finishRemoving(key)
    }

    /// Empties the memory cache.
    func forgetAll() {
        kept.forgetAll()
    }

    /// The error of a request that accepts only cached data.
    static var notCached: CalotypeError {
        CalotypeError(
            .notCached,
            "not in the cache, and the request may use only cached data",
            stage: .store
        )
    }

    /// Returns the picture, shared with all callers that want the same one.
    ///
    /// - Throws: `CalotypeError`; `CancellationError`; `scope_ended`.
    func picture(_ query: PictureQuery, priority: LivePriority) async throws -> Picture {
        let origin = Guarded(PipelineEvent.Origin.shared)
        let key = flight(query.key)
        var found = try await flights.value(for: key, priority: priority) { flight in
            var query = query
            query.moment = key.moment
            let found = try await self.find(query, flight.priority)
            origin.withLock { $0 = found.provenance.origin }
            return found
        }
        found.provenance.origin = origin.withLock { $0 }
        return found
    }

    private func verdict(_ picture: Picture, _ key: RenditionKey) -> CacheJudge.Verdict {
        judge.verdict(picture.provenance.version, key.headers, key.cachePolicy)
    }

    /// Returns a cached picture for a load that had no costs.
    private func served(_ picture: Picture, _ use: CacheUse) -> Picture {
        use == .hit ? picture : picture.obtained(from: picture.provenance.origin, use)
    }

    private func find(_ query: PictureQuery, _ priority: LivePriority) async throws -> Picture {
        var query = query
        guard let picture = try await kept.find(&query) else {
            return try await make(query, priority, inPlaceOfOld: false)
        }
        switch verdict(picture, query.key) {
        case .serve(let use, let asksMeanwhile):
            if asksMeanwhile { renew(picture, query) }
            return served(picture, use)
        case .refuse:
            throw Self.notCached
        case .ask(let orServe):
            do {
                return try await renewed(picture, query, priority)
            } catch let error as CalotypeError where orServe && error.isOriginTrouble {
                return picture.obtained(
                    from: picture.provenance.origin,
                    .stale,
                    attempts: error.load?.attempts ?? 0,
                    timings: error.load?.timings ?? LoadTimings()
                )
            }
        }
    }

    /// Asks the origin whether a cached picture is still current, and makes it again if it is not.
    private func renewed(
        _ old: Picture,
        _ query: PictureQuery,
        _ priority: LivePriority
    ) async throws -> Picture {
        guard let version = old.provenance.version, !version.response.validators.isEmpty else {
            return try await make(query, priority, inPlaceOfOld: true)
        }
        do {
            switch try await sources.source(
                for: SourceKey(query.request),
                unless: version,
                priority: priority
            ) {
            case .unchanged(let receipt):
                var renewed = old
                renewed.provenance = judge.provenance(receipt.version, query.key.headers, from: .memory)
                kept.renew(renewed, query)
                return renewed.obtained(
                    from: .revalidated,
                    .revalidated,
                    attempts: receipt.attempts,
                    timings: receipt.timings
                )
            case .source(let source):
                defer { source.stay() }
                return try await make(query, priority, inPlaceOfOld: true)
            }
        } catch let error as CalotypeError where error.isAbsence {
            kept.remove(query.key)
            throw error
        }
    }

    private func make(
        _ query: PictureQuery,
        _ priority: LivePriority,
        inPlaceOfOld: Bool
    ) async throws -> Picture {
        do {
            let (coded, source) = try await decodes.picture(
                query.key.spec,
                of: SourceKey(query.request),
                priority: priority
            )
            let provenance = judge.provenance(source.version, query.key.headers, from: .own)
            let made = Picture(coded, of: source, provenance)
            let isKeepable = !coded.isPartial && source.version?.isKeepable ?? true
            return isKeepable ? kept.keep(made, query, inPlaceOfOld: inPlaceOfOld) : made
        } catch let error as CalotypeError
            where error.isAbsence && (inPlaceOfOld || query.key.cachePolicy == .reload)
        {
            // Otherwise the next process would find the old picture in the store.
            kept.remove(query.key)
            throw error
        }
    }

    /// Asks the origin in the background; callers receive the old picture until it has responded.
    private func renew(_ old: Picture, _ query: PictureQuery) {
        renewals.start(query.key) {
            // After a failure the old picture stays, and the next request asks again.
            _ = try? await self.renewed(old, query, LivePriority(.low))
        }
    }
}

extension CalotypeError {
    var isAbsence: Bool {
        code == .http(status: 404) || code == .http(status: 410)
    }
}

/// Revalidations in the background of stale pictures that were served, at most one for each picture at a time.
final class Renewals: Sendable {
    /// The maximum number; beyond it, the next request for the picture starts one.
    private static let limit = 64

    private let scope: TaskScope
    private let keys = Guarded<Set<RenditionKey>>([])

    /// Creates an empty list; `scope` cancels and awaits its tasks.
    init(scope: TaskScope) {
        self.scope = scope
    }

    /// Runs `work`, unless the picture is already being revalidated.
    func start(_ key: RenditionKey, _ work: @escaping @Sendable () async -> Void) {
        let key = key.stored
        let isNew = keys.withLock { $0.count < Self.limit && $0.insert(key).inserted }
        guard isNew else { return }
        do {
            try scope.start(name: "renew", priority: .background) { [keys] in
                await work()
                keys.withLock { _ = $0.remove(key) }
            }
        } catch {
            // The pipeline's scope has ended, so the picture stays stale.
            keys.withLock { _ = $0.remove(key) }
        }
    }
}
