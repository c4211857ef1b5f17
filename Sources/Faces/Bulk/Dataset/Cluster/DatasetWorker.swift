public import Calotype
internal import CalotypeCore
internal import CalotypeFiles
internal import CalotypePlatform
internal import TaskFlow

/// Makes shards of a plan as another program says, line by line: the job of `calotype worker`.
///
/// It works only under a lease, and ends when its input ends. Many workers can share a plan, also when two are given
/// the same shard: only one of them completes it.
public struct DatasetWorker: Sendable {
    private let options: DatasetOptions
    private let plan: DatasetPlan
    private let pipeline: ImagePipeline
    private let clock: any Clock<Duration>
    private let scratch: String?
    private let slots: Int
    private let version: String

    /// Creates a worker; nothing happens before ``run(from:to:)``.
    ///
    /// - Parameters:
    ///   - options: The options of the dataset, as the plan has them.
    ///   - plan: The plan in the output folder.
    ///   - pipeline: Loads the pictures.
    ///   - scratch: A folder for journals on a disk of this machine; `nil` for the output folder.
    ///   - slots: Number of shards to ask for at a time; `nil` for as many as have 80,000 samples.
    ///   - version: The version to report.
    ///   - clock: The clock of leases and reports.
    public init(
        _ options: DatasetOptions,
        _ plan: DatasetPlan,
        pipeline: ImagePipeline,
        scratch: String? = nil,
        slots: Int? = nil,
        version: String,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.options = options
        self.plan = plan
        self.pipeline = pipeline
        self.clock = clock
        self.scratch = scratch
        self.slots = slots ?? min(max(80_000 / plan.samplesPerShard, 2), 64)
        self.version = version
    }

    /// Follows the orders of `input` until it ends, or until all shards have been made after a drain.
    ///
    /// - Parameters:
    ///   - input: The descriptor of the orders.
    ///   - output: The descriptor for the reports.
    /// - Throws: ``BulkError`` if the dataset cannot be used; `CancellationError`.
    public func run(from input: Int32, to output: Int32) async throws {
        try options.check()
        guard options.samplesPerShard == plan.samplesPerShard else {
            throw BulkError("the plan of \(options.output) is damaged: its shards have another size")
        }
        // One thread waits for orders.
        try await withThreadExecutor(name: "calotype-list", threads: 3) { reading in
            try await withThreadExecutor(name: "calotype-io", threads: 3) { writing in
                try await run(from: input, to: output, reading, writing)
            }
        }
    }

    private func run(
        from input: Int32,
        to output: Int32,
        _ reading: ThreadExecutor,
        _ writing: ThreadExecutor
    ) async throws {
        let reports = WorkerOutbox(OpenFile(descriptor: output, isOwned: false), writing)
        let orders = try InputFile(OpenFile(descriptor: input, isOwned: false), executor: reading)
        let journals = try await writing.run { try scratch.map { try ScratchFolder(in: $0) } }
        async let isWritten: Void = reports.write()
        let result: Result<Void, any Error>
        do {
            result = .success(try await run(orders, reports, journals, reading, writing))
        } catch {
            result = .failure(error)
        }
        try? await writing.run { journals?.remove() }
        reports.finish()
        await isWritten
        try result.get()
    }

    private func run(
        _ orders: InputFile,
        _ reports: WorkerOutbox,
        _ journals: ScratchFolder?,
        _ reading: ThreadExecutor,
        _ writing: ThreadExecutor
    ) async throws {
        let before = pipeline.receivedBytes
        let ledger = DatasetLedger(stopwatch: Stopwatch(clock)) { [pipeline] in
            ByteCount(pipeline.receivedBytes.bytes - before.bytes)
        }
        let shards = ShardPlan(
            samplesPerShard: plan.samplesPerShard,
            shardDigits: options.shardDigits,
            total: plan.samples
        )
        let desk = WorkerDesk(shards, plan.shards, lease: WorkerLease(clock), report: reports.send)
        reports.send(.hello(version: version, slots: slots, plan))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await desk.follow(orders) }
            group.addTask { try await work(at: desk, shards, ledger, journals, reading, writing) }
            group.addTask {
                while (try? await clock.sleep(for: .seconds(1))) != nil { desk.tell(ledger.progress()) }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        if desk.isDrained { reports.send(.bye) }
    }

    /// Makes shards, one session after the other.
    private func work(
        at desk: WorkerDesk,
        _ plan: ShardPlan,
        _ ledger: DatasetLedger,
        _ journals: ScratchFolder?,
        _ reading: ThreadExecutor,
        _ writing: ThreadExecutor
    ) async throws {
        while await desk.waitForWork() {
            let session = WorkerSession(plan, clock: clock, report: desk.report)
            let (stop, isDrained) = (Latch<RunSummary.Ending>(), desk.isDrained)
            let folder = try await writing.run { try openedFolder(journals) }
            let book = ShardBook(
                options,
                options.schema,
                folder: folder,
                plan: plan,
                ledger: ledger,
                stop: stop,
                executor: writing,
                mayClaim: { [lease = desk.lease] in lease.isHeld },
                onCommit: { session.complete($0) }
            )
            let list = AssignedShards(folder, plan, fields: options.columns.kept.count, executor: reading) {
                session.complete($0)
            }
            var run = DatasetRun(
                options: options,
                maker: SampleMaker(options, pipeline, executor: writing),
                shards: book,
                ledger: ledger,
                stop: stop
            )
            run.watch = session.watch
            run.tail = (self.plan.shards - self.plan.tailShards) * self.plan.samplesPerShard
            desk.begin(session, list, book)
            let ending = await follow(run, list, desk.lease)
            // Its journals belong to this session alone.
            try? await writing.run { book.abandonAll() }
            desk.end(session, ending)
            if isDrained || desk.isDrained { return }
        }
    }

    /// Runs until the lease ends; returns why the run ended.
    private func follow(
        _ run: DatasetRun,
        _ list: AssignedShards,
        _ lease: WorkerLease
    ) async -> RunSummary.Ending {
        await withTaskGroup(of: RunSummary.Ending?.self) { group in
            group.addTask { await run.run(list).ending }
            group.addTask {
                await lease.waitForEnd()
                return nil
            }
            defer { group.cancelAll() }
            return await group.next().flatMap { $0 } ?? .interrupted
        }
    }

    private func openedFolder(_ journals: ScratchFolder?) throws -> DatasetFolder {
        let folder = try DatasetFolder(path: options.output, isShared: true, scratch: journals?.folder)
        try options.check(folder)
        return folder
    }
}

/// The lines that a worker reports, written one after the other.
final class WorkerOutbox: Sendable {
    /// Number of reports that wait at most; a reader that falls behind further misses the oldest.
    private static let limit = 10_000

    private let file: OpenFile
    private let executor: ThreadExecutor
    private let lines: AsyncStream<String>
    private let input: AsyncStream<String>.Continuation

    init(_ file: OpenFile, _ executor: ThreadExecutor) {
        self.file = file
        self.executor = executor
        (lines, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.limit))
    }

    /// Adds a report.
    func send(_ report: WorkerReport) { input.yield(report.line) }

    /// Writes what was sent until ``finish()``, or until nobody reads it.
    func write() async {
        // Awaited by its caller, and not cancelled with it, so that the last reports are written.
        let writing = Task { [lines, file, executor] in
            for await line in lines {
                let bytes = Array((line + "\n").utf8)
                guard (try? await executor.run { try file.write(bytes) }) != nil else { return }
            }
        }
        await writing.value
    }

    func finish() { input.finish() }
}

/// A folder for the journals of one process; what processes have left beside it that were killed is removed.
///
/// Its functions block; call them on a file thread.
final class ScratchFolder: Sendable {
    private static let prefix = "calotype-worker-"
    private static let lockName = "lock"

    let folder: OpenFile
    private let parent: OpenFile
    private let name: String
    /// Locked as long as the process lives.
    private let lock: OpenFile

    /// Creates the folder in the one called `path`, which is created if it is missing.
    init(in path: String) throws(SystemError) {
        try OutputFolder.createFolders(path)
        parent = try OpenFile(path, O_RDONLY | O_DIRECTORY)
        Self.clean(parent)
        name = "\(Self.prefix)\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        guard unsafe mkdirat(parent.descriptor, name, 0o700) == 0 else { throw SystemError("create \(name)") }
        folder = try OpenFile(name, in: parent, O_RDONLY | O_DIRECTORY)
        lock = try OpenFile(Self.lockName, in: folder, O_RDWR | O_CREAT)
        guard try lock.lock() else { throw SystemError("lock \(name)", code: EAGAIN) }
    }

    /// Removes the folder.
    func remove() { Self.remove(folder, name, in: parent) }

    private static func clean(_ parent: OpenFile) {
        for name in FolderNames.all(in: ".", of: parent) where name.hasPrefix(prefix) {
            guard let folder = try? OpenFile(name, in: parent, O_RDONLY | O_DIRECTORY),
                let lock = try? OpenFile(lockName, in: folder, O_RDWR), (try? lock.lock()) == true
            else { continue }
            remove(folder, name, in: parent)
        }
    }

    private static func remove(_ folder: OpenFile, _ name: String, in parent: OpenFile) {
        for file in FolderNames.all(in: ".", of: folder) { unsafe unlinkat(folder.descriptor, file, 0) }
        unsafe unlinkat(parent.descriptor, name, AT_REMOVEDIR)
    }
}
