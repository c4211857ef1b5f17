import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform
internal import TaskFlow

/// The entries of the shards that a worker is given, one shard after the other, for one consumer.
///
/// The list ends after ``drain()``, or when the task is cancelled.
actor AssignedShards: ListReading {
    private let folder: DatasetFolder
    private let plan: ShardPlan
    private let fields: Int
    private let executor: ThreadExecutor
    private let onComplete: @Sendable (Int) -> Void
    private let numbers: AsyncStream<Int>
    private nonisolated let input: AsyncStream<Int>.Continuation
    private var file: InputFile?
    private var lines = LineSplitter(limit: DelimitedRows.limit)
    private var ready: ArraySlice<ListItem> = []
    private var indices = 0..<0

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - folder: The dataset.
    ///   - plan: Its shards.
    ///   - fields: The number of columns of each entry besides the URL.
    ///   - executor: Reads the files.
    ///   - onComplete: Receives a shard that another attempt has completed already.
    init(
        _ folder: DatasetFolder,
        _ plan: ShardPlan,
        fields: Int,
        executor: ThreadExecutor,
        onComplete: @escaping @Sendable (Int) -> Void
    ) {
        self.folder = folder
        self.plan = plan
        self.fields = fields
        self.executor = executor
        self.onComplete = onComplete
        (numbers, input) = AsyncStream.makeStream(of: Int.self)
    }

    /// Adds a shard.
    nonisolated func add(_ shard: Int) { input.yield(shard) }

    /// Ends the list after the shards that were added.
    nonisolated func drain() { input.finish() }

    func next() async throws -> ListItem? {
        while ready.isEmpty {
            do {
                guard try await readMore() else { return nil }
            } catch let error as SystemError {
                breakOff(
                    "the lines of shard \(plan.name(of: plan.shard(of: indices.lowerBound))) cannot be read: \(error)"
                )
            }
        }
        return ready.popFirst()
    }

    private func readMore() async throws -> Bool {
        guard let file else {
            // Another iterator each time continues the same stream.
            for await shard in numbers {
                try await open(shard)
                return true
            }
            return false
        }
        let chunk = try await file.read()
        for line in chunk.isEmpty ? [lines.finish()] : lines.split(chunk) where !line.bytes.isEmpty {
            guard let index = indices.popFirst(),
                let item = try? ListItem(planLine: line.bytes, index: index, fields: fields)
            else {
                breakOff("the plan has a damaged line")
                return true
            }
            ready.append(item)
        }
        if chunk.isEmpty {
            self.file = nil
            if !indices.isEmpty { breakOff("the plan has too few lines for a shard") }
        }
        return true
    }

    private func open(_ shard: Int) async throws {
        let commits = ShardCommit(folder: folder, plan: plan)
        indices = plan.indices(of: shard).clamped(to: 0..<(plan.total ?? .max))
        let name = "\(DatasetPlan.folderName)/\(plan.name(of: shard)).jsonl"
        file = try await executor.run { () throws -> InputFile? in
            if try commits.rollForward(shard) { return nil }
            return try InputFile(OpenFile(name, in: self.folder.work, O_RDONLY), executor: self.executor)
        }
        if file == nil { onComplete(shard) }
    }

    /// Ends the run, because what follows is doubtful.
    private func breakOff(_ message: String) {
        file = nil
        let problem = ListItem.InvalidReason(code: .fileNotReadable, message: message)
        ready = [ListItem(index: 0, url: "", invalidReason: problem)]
    }
}
