internal import Calotype
internal import CalotypeCodec
internal import CalotypeCore
internal import CalotypeDigests
internal import CalotypeFiles
internal import TaskFlow

/// A running dataset job: the handling of each entry.
struct DatasetRun: Sendable {
    let options: DatasetOptions
    let maker: SampleMaker
    let shards: ShardBook
    let ledger: DatasetLedger
    /// Opens with the ending when the run cannot continue.
    let stop: Latch<RunSummary.Ending>
    /// What follows the run from outside.
    var watch: DatasetRunWatch?
    /// The index from which entries let others of the same host go first.
    var tail = Int.max
    /// Where complete shards are uploaded; `nil` if they stay in the folder.
    var uploads: DatasetUploads?

    /// Handles all entries, and completes their shards.
    func run(_ list: some ListReading) async -> RunSummary {
        await uploads?.addFormer()
        await withTaskGroup(of: Void.self) { group in
            if let uploads { group.addTask { await untilStopped { await uploads.run() } } }
            await makeShards(of: list)
            uploads?.finish()
        }
        if Task.isCancelled { return ledger.summary(.interrupted) }
        if let ending = stop.value { return ledger.summary(ending) }
        return ledger.summary(.finished)
    }

    private func makeShards(of list: some ListReading) async {
        await untilStopped { await handleAll(of: list) }
        if !Task.isCancelled, stop.value == nil { await shards.endReading() }
        if !Task.isCancelled, stop.value == nil { await shards.commitRest() }
    }

    /// Runs `body` to its end; cancels it if the run must stop.
    private func untilStopped(_ body: @escaping @Sendable () async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await body() }
            // Cancelled when `body` has ended.
            group.addTask { _ = try? await stop.wait() }
            await group.next()
            group.cancelAll()
        }
    }

    private func handleAll(of list: some ListReading) async {
        let entries = WaitingEntries(
            EntryQueue(
                limit: options.window,
                perHost: options.concurrencyPerHost,
                strangers: options.concurrency / 2,
                inOrder: false,
                tail: tail,
                pace: options.manners.map(pace)
            )
        )
        watch?.onEntries(entries)
        ledger.follow(entries)
        guard let manners = options.manners else { return await handleAll(entries, of: list) }
        await manners.pacing(entries) { await handleAll(entries, of: list) }
    }

    /// The pace of requests to hosts: of many that do not respond, each must not take several places.
    private func pace(_ manners: HostManners) -> PacePolicy {
        var pace = manners.pace
        pace.startsAlone = true
        // The list of a worker has no end, and its shards wait for hosts that are set aside.
        if watch != nil { pace.recallsAfter = .seconds(20) }
        return pace
    }

    private func handleAll(_ entries: WaitingEntries, of list: some ListReading) async {
        // Cancelled when the last entry has been handled.
        async let _ = entries.fill(from: list) { await shards.needsNothing($0) }
        await withConcurrentResults(
            of: entries,
            limit: options.concurrency,
            operation: { item in await TaskTrace.withLane { await handle(item, of: entries) } },
            body: { results in
                for await _ in results {}
            }
        )
    }

    /// Handles one entry and ends it, or puts it back.
    private func handle(_ item: ListItem, of entries: WaitingEntries) async {
        guard shards.isOpen(item) else { return entries.end(item, .none) }
        ledger.begin()
        let areas = Result { () throws(CalotypeError) in try options.areas(of: item) }
        var contact = HostContact.answered
        if item.invalidReason != nil || (try? areas.get()) == nil { contact = .none }
        do {
            if contact != .none, let manners = options.manners,
                try await !manners.admits(item, of: entries, in: maker.pipeline)
            {
                return ledger.putBack()
            }
            let made = try await sample(of: item, blurring: areas) { failure in
                contact = HostContact(failure)
                guard let trouble = HostTrouble(failure) else { return false }
                watch?.onTrouble(ListItem.host(of: item.url), trouble)
                return entries.putBack(item, trouble)
            }
            guard let (sample, picture) = made else { return ledger.putBack() }
            await shards.end(item, sample, picture)
        } catch {
            ledger.drop()
        }
        entries.end(item, contact)
    }

    /// Returns the sample of an entry with its picture, or with why there is none.
    ///
    /// - Parameters:
    ///   - item: The entry.
    ///   - areas: The areas to blur, or why they are not known.
    ///   - isPutBack: Receives the error of a failed load, and returns whether the entry is tried again later.
    /// - Returns: The sample, and its encoded picture, which is empty if there is none; `nil` if the entry
    ///   is tried again later.
    /// - Throws: `CancellationError`.
    private func sample(
        of item: ListItem,
        blurring areas: Result<[RelativeArea], CalotypeError>,
        isPutBack: (CalotypeError) -> Bool
    ) async throws -> (Sample, [UInt8])? {
        let sample = Sample(item)
        if let reason = item.invalidReason {
            return (sample.failed(CalotypeError(reason.code, reason.message, stage: .request)), [])
        }
        let boxes: [RelativeArea]
        do throws(CalotypeError) {
            boxes = try areas.get()
        } catch {
            return (sample.failed(error), [])
        }
        do {
            var request = ImageRequest(item.url)
            request.limits = options.limits
            request.cachePolicy = options.cachePolicy
            return try await maker.pipeline.holdingSource(of: request) { [request] source in
                try await maker.made(sample, request, source, blurring: boxes)
            }
        } catch let error as CalotypeError {
            if isPutBack(error) { return nil }
            var failed = sample.failed(error)
            failed.originalSize = error.load?.source.map(options.size)
            return (failed, [])
        }
    }
}

extension DatasetOptions {
    /// Returns the areas to blur.
    fileprivate func areas(of item: ListItem) throws(CalotypeError) -> [RelativeArea] {
        guard let index = boxColumn.flatMap({ extraColumns.firstIndex(of: $0) }),
            item.fields.indices.contains(index)
        else { return [] }
        return try SampleBoxes.areas(item.fields[index])
    }
}
