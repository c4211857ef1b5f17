internal import TaskFlow

/// The uploads of a run: complete shards wait here, and a few at a time are uploaded beside the fetching.
final class DatasetUploads: Sendable {
    /// Maximum number of shards that are uploaded at a time.
    static let width = 2
    /// Number of shards that wait or are being uploaded from which on no other shard is begun.
    static let limit = 4

    private let store: any ShardStoring
    private let folder: DatasetFolder
    private let plan: ShardPlan
    private let slice: DatasetOptions.Slice
    private let ledger: DatasetLedger
    private let stop: Latch<RunSummary.Ending>
    private let executor: ThreadExecutor
    private let known = Guarded<Set<Int>>([])
    private let left = LatestValue(0)
    private let shards: AsyncStream<Int>
    private let input: AsyncStream<Int>.Continuation

    init(
        to store: any ShardStoring,
        from folder: DatasetFolder,
        _ plan: ShardPlan,
        _ slice: DatasetOptions.Slice,
        ledger: DatasetLedger,
        stop: Latch<RunSummary.Ending>,
        executor: ThreadExecutor
    ) {
        self.store = store
        self.folder = folder
        self.plan = plan
        self.slice = slice
        self.ledger = ledger
        self.stop = stop
        self.executor = executor
        // Bounded by ``waitForRoom()`` and by the shards in progress.
        (shards, input) = AsyncStream.makeStream(of: Int.self)
    }

    /// The number of shards that wait or are being uploaded.
    var leftCount: Int { left.current ?? 0 }

    /// Adds a complete shard, unless this run has added it before.
    func add(_ shard: Int) {
        guard known.withLock({ $0.insert(shard).inserted }) else { return }
        change(by: 1)
        input.yield(shard)
    }

    /// Waits until another shard may be begun, or until the task is cancelled.
    func waitForRoom() async {
        for await count in left.makeReader() where count < Self.limit { return }
    }

    /// Ends the uploads after those that were added.
    func finish() { input.finish() }

    /// Adds the shards that earlier runs have completed.
    func addFormer() async {
        // Only the work could fail, and it does not.
        let former = (try? await executor.run { self.folder.completeShards() }) ?? []
        for shard in former where shard % slice.count == slice.index { add(shard) }
    }

    /// Uploads what is added, until ``finish()``.
    func run() async {
        await withConcurrentResults(of: shards, limit: Self.width) { shard in
            await self.upload(shard)
        } body: { results in
            for await _ in results {}
        }
    }

    private func upload(_ shard: Int) async {
        let name = plan.name(of: shard)
        var upload = ShardUpload(shard, name, in: folder, to: store, executor)
        do {
            while try await upload.advance() {}
            if upload.hasStored { ledger.upload() }
            change(by: -1)
        } catch is CancellationError {
            return
        } catch let error as BulkError {
            stop.set(.refused(error.description))
        } catch {
            stop.set(.unwritable("shard \(name) cannot be uploaded: \(error)"))
        }
    }

    private func change(by difference: Int) {
        left.update { count in
            count += difference
            return false
        }
    }
}
