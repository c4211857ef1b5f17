import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import TaskFlow

/// Loads sources: callers of one source share its download.
final class SourceStage: Sendable {
    /// What two callers must have in common to share one query to the origin.
    private struct Question: Hashable, Sendable {
        let source: SourceKey
        /// When the source last changed.
        let moment: SourceChanges.Moment
        var feed: SourceFeeds.Key { SourceFeeds.Key(source: source, moment: moment) }
        /// The version that the caller has, if any.
        var known: SourceVersion?
    }

    private let loader: SourceLoader
    private let kept: StoredSources
    private let changes: SourceChanges
    private let feeds = SourceFeeds()
    private let flights: SharedFlights<Question, SourceOutcome>
    private let live = LiveSources()

    init(
        _ loader: SourceLoader,
        kept: StoredSources,
        changes: SourceChanges,
        clock: Stopwatch,
        scope: TaskScope
    ) {
        self.loader = loader
        self.kept = kept
        self.changes = changes
        flights = SharedFlights(scope: scope, name: "source", clock: clock)
    }

    /// The number of downloads in progress, cancelled ones included.
    var flightCount: Int { flights.flightCount }
    /// The number of complete sources in use.
    var liveCount: Int { live.count }
    /// The number of sources that are being loaded or observed.
    var feedCount: Int { feeds.count }

    /// Runs `body` while `observer` is notified of how the source arrives.
    func observing<Output>(
        _ key: SourceKey,
        _ observer: SourceFeed.Observer,
        during body: () async throws -> Output
    ) async throws -> Output {
        try await feeds.observing(question(key).feed, observer, during: body)
    }

    /// Returns the complete source, either loaded or shared with callers that use it.
    ///
    /// Call ``LoadedSource/stay()`` after the last use.
    ///
    /// - Throws: `CalotypeError`; `CancellationError`.
    func source(for key: SourceKey, priority: LivePriority) async throws -> LoadedSource {
        try await find(key, priority: priority).source
    }

    /// Returns the complete source, and whether this call loaded it.
    func find(
        _ key: SourceKey,
        priority: LivePriority
    ) async throws -> (source: LoadedSource, origin: PipelineEvent.Origin) {
        let (answer, origin) = try await ask(question(key), priority)
        guard case .source(let source) = answer else {
            preconditionFailure("an unchanged version for a caller who has none")
        }
        return (source, origin)
    }

    /// Asks whether `version` is still current, and loads the source if it is not.
    ///
    /// - Throws: `CalotypeError`; `CancellationError`.
    func source(
        for key: SourceKey,
        unless version: SourceVersion,
        priority: LivePriority
    ) async throws -> SourceOutcome {
        try await ask(question(key, unless: version), priority).answer
    }

    /// The version of the source in use; `nil` if it is not in use or came from no origin.
    func heldVersion(_ key: SourceKey) -> SourceVersion? { held(key)?.receipt.version }

    private func held(_ key: SourceKey) -> LoadedSource? {
        live.source(for: key).flatMap {
            changes.isOutdated($0.receipt.version, of: key.identity)
                || changes.isRemoved(key.identity, since: $0.moment) ? nil : $0
        }
    }

    /// Stops sharing `source`, because it is not what was expected.
    func withdraw(_ source: LoadedSource, for key: SourceKey) {
        live.withdraw(source, for: key)
    }

    /// Whether the store has the bytes and they need no revalidation.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func hasFreshBytes(_ key: SourceKey) async throws -> Bool { try await kept.hasFreshBytes(key) }

    /// Stores `source` if that is allowed and has not been done.
    func keep(_ source: LoadedSource, for key: SourceKey) {
        source.keep { kept.keep(source.input, source.receipt.version, for: key, since: source.moment) }
    }

    /// Removes what is stored of the sources of a group, or of all if it is `nil`.
    func removeAll(in group: StoreGroup?) async {
        kept.removeAbsences(in: group)
        await loader.removeBeginnings(in: group)
    }

    /// Removes the stored source.
    func forget(_ key: SourceKey) { kept.forget(key) }

    /// Forgets which sources do not exist.
    func forgetAll() { kept.forgetAll() }

    private func question(_ key: SourceKey, unless version: SourceVersion? = nil) -> Question {
        Question(source: key, moment: changes.moment(of: key.identity), known: version)
    }

    private func ask(
        _ question: Question,
        _ priority: LivePriority
    ) async throws -> (answer: SourceOutcome, origin: PipelineEvent.Origin) {
        if let answer = lent(question) { return (answer, .shared) }
        let origin = Guarded(PipelineEvent.Origin.shared)
        let answer = try await flights.value(for: question, priority: priority) { flight in
            // Another flight may have ended between the look-up and the start of this one.
            if let answer = self.lent(question) { return answer }
            origin.withLock { $0 = .own }
            let arrival = self.feeds.open(question.feed).begin()
            defer {
                arrival.end()
                self.feeds.close(question.feed)
            }
            return try await withTaskCancellationHandler {
                try await self.answer(question, flight.priority, arrival)
            } onCancel: {
                // Its last caller has left. Another load must not be taken for the rest of this one.
                arrival.end()
            }
        }
        return (answer, origin.withLock { $0 })
    }

    /// Uses stored data if that is allowed, and asks the origin otherwise.
    private func answer(
        _ question: Question,
        _ priority: LivePriority,
        _ feed: SourceArrival
    ) async throws -> SourceOutcome {
        let key = question.source
        let found = try await kept.find(key)
        switch found.verdict {
        case .serve(let use, _):
            if case .bytes(_, let version) = found.record { feed.tell(version) }
            return try await answer(question, with: found.record, use, priority)
        case .refuse:
            throw PictureStage.notCached
        case .ask(let orServe):
            do {
                return try await fetch(question, found.record, priority, feed)
            } catch let error as CalotypeError where orServe && error.isOriginTrouble {
                let load = error.load ?? LoadDetails()
                let cost = (load.attempts, load.timings)
                return try await answer(question, with: found.record, .stale, after: cost, priority)
            }
        }
    }

    /// Asks the origin.
    private func fetch(
        _ question: Question,
        _ record: SourceRecord?,
        _ priority: LivePriority,
        _ feed: SourceArrival
    ) async throws -> SourceOutcome {
        let key = question.source
        let known = record?.version ?? question.known
        let query = changes.ask(
            for: key.identity,
            replacing: key.cachePolicy.writes && known != nil || key.cachePolicy == .reload
        )
        defer { changes.end(query) }
        switch try await loader.load(key, unless: known, priority: priority, feed: feed) {
        case .failed(let failure, let absence):
            if let absence {
                if key.cachePolicy.writes { changes.note(absence, answering: query) }
                kept.note(absence: absence, for: key, since: question.moment)
            }
            throw failure
        case .body(let body, let receipt):
            if key.cachePolicy.writes {
                let isNewest = changes.note(receipt.version, answering: query)
                // The caller wants the newest version, so the origin is asked again.
                if !isNewest, key.cachePolicy == .reload {
                    return try await fetch(question, record, priority, feed)
                }
            }
            // The reader of a document decides whether it is stored.
            let isKept =
                key.content != .document
                && kept.keep(body.input, receipt.version, for: key, since: question.moment)
            return .source(lend(body, receipt, question, isKept: isKept))
        case .unchanged(let version, let receipt):
            guard case .bytes(let bytes, _) = record else { return .unchanged(receipt) }
            let renewed = SourceRecord.bytes(bytes, version)
            kept.renew(renewed, for: key, since: question.moment)
            let cost = (receipt.attempts, receipt.timings)
            return try await answer(question, with: renewed, .revalidated, after: cost, priority)
        }
    }

    /// Returns stored data after a load with the costs `cost`.
    private func answer(
        _ question: Question,
        with record: SourceRecord?,
        _ use: CacheUse,
        after cost: (attempts: Int, timings: LoadTimings) = (0, LoadTimings()),
        _ priority: LivePriority
    ) async throws -> SourceOutcome {
        switch record {
        case .absent(let version):
            throw version.absence.of(LoadDetails(cache: use))
        case .bytes(let bytes, let version):
            let receipt = SourceReceipt(
                byteCount: ByteCount(bytes.count),
                attempts: cost.attempts,
                timings: cost.timings,
                facts: nil,
                version: version,
                cache: use
            )
            if let known = question.known, known.isSame(as: version) { return .unchanged(receipt) }
            let body = try await loader.product(of: bytes, priority)
            return .source(lend(body, receipt, question, isKept: true))
        case nil:
            preconditionFailure("nothing is kept, and yet it answers")
        }
    }

    private func lend(
        _ body: SourceBody.Product,
        _ receipt: SourceReceipt,
        _ question: Question,
        isKept: Bool
    ) -> LoadedSource {
        let (key, moment) = (question.source, question.moment)
        let source = LoadedSource(body, receipt, since: moment, isKept: isKept, onEnd: ending(key))
        // One that was removed is not shared, and must not take the place of a newer one.
        if !changes.isRemoved(key.identity, since: moment) { live.insert(source, for: key) }
        LoadEvents.emit(.received(source.receipt.byteCount))
        return source
    }

    private func ending(_ key: SourceKey) -> @Sendable () -> Void {
        { [live] in live.forget(key) }
    }

    /// Returns the source if it is in use.
    private func lent(_ question: Question) -> SourceOutcome? {
        guard question.source.cachePolicy != .reload, let source = held(question.source) else { return nil }
        if let known = question.known, let version = source.receipt.version, known.isSame(as: version) {
            return .unchanged(source.receipt)
        }
        return .source(source)
    }
}

extension SourceStage {
    /// Loads the source into the persistent store unless a fresh copy is there.
    ///
    /// - Returns: Where the source came from.
    /// - Throws: `CalotypeError`; `CancellationError`.
    func store(_ key: SourceKey, priority: LivePriority) async throws -> PipelineEvent.Origin {
        guard case .web = key.place else {
            throw Self.refusal("the request has no URL; local sources are not stored")
        }
        guard let store = kept.store(for: key)?.store else {
            throw Self.refusal("the pipeline does not cache sources; configure a cache that does")
        }
        if try await kept.hasFreshBytes(key) { return .store }
        try await store.waitForRoom()
        let (source, origin) = try await find(key, priority: priority)
        defer { source.stay() }
        guard source.isKept else { throw source.receipt.failure(Self.lost) }
        return origin
    }

    private static func refusal(_ message: String) -> CalotypeError {
        CalotypeError(.invalidRequest, message, stage: .store)
    }

    private static var lost: CalotypeError {
        CalotypeError(
            .storageFailed,
            "the source was loaded and could not be stored: its origin or the request forbids it, or it is too large",
            stage: .store
        )
    }
}
