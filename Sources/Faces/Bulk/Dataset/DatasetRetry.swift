import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform
internal import TaskFlow

/// A pass over the failures of a dataset, whose samples become new shards.
///
/// It is recorded in the folder until it has ended, so that an interrupted one continues with the same list;
/// then that is recorded, so that the next pass leaves out what this one has tried.
struct RetryPass: Hashable, Sendable {
    private static let currentName = "retry"
    private static let endedName = "retried"

    /// The number of the first new shard.
    let firstShard: Int
    /// The error codes of the failures to retry; empty for all.
    let codes: [String]
    /// The passes that have ended.
    private let ended: [RetryPass]

    private init(firstShard: Int, codes: [String], ended: [RetryPass] = []) {
        self.firstShard = firstShard
        self.codes = codes
        self.ended = ended
    }

    /// Continues the pass that was interrupted in `folder`, or begins one.
    ///
    /// - Throws: ``BulkError`` if the dataset or another pass is not finished.
    init(of codes: [String], in folder: DatasetFolder) throws(BulkError) {
        let codes = codes.sorted()
        do throws(SystemError) {
            ended = try Self.passes(in: Self.endedName, of: folder)
            if let current = try Self.passes(in: Self.currentName, of: folder).first {
                (firstShard, self.codes) = (current.firstShard, current.codes)
            } else {
                firstShard = (folder.completeShards().last ?? -1) + 1
                self.codes = codes
            }
        } catch {
            throw BulkError("the failures of \(folder.path) cannot be read: \(error)")
        }
        guard self.codes == codes else {
            throw BulkError(
                "an interrupted retry had other codes: \(self.codes.joined(separator: ",")); finish it first"
            )
        }
        guard !folder.unfinishedShards().contains(where: { $0 < firstShard }), firstShard > 0 else {
            throw BulkError(
                "\(folder.path) is not complete; run the command without --retry-failed first"
            )
        }
    }

    /// Whether a sample of `shard` that failed with `code` is retried.
    func includes(_ code: String, of shard: Int) -> Bool {
        guard shard < firstShard, hasCode(code) else { return false }
        return !ended.contains { shard < $0.firstShard && $0.hasCode(code) }
    }

    /// Records that the pass has begun.
    func begin(in folder: DatasetFolder) throws(SystemError) {
        try folder.replace(Self.currentName, with: Array(line.utf8), in: folder.work)
    }

    /// Records that the pass has ended.
    func end(in folder: DatasetFolder) throws(SystemError) {
        let lines = (ended + [self]).map(\.line).joined()
        try folder.replace(Self.endedName, with: Array(lines.utf8), in: folder.work)
        unsafe unlinkat(folder.work.descriptor, Self.currentName, 0)
    }

    private var line: String { "\(firstShard) \(codes.joined(separator: ","))\n" }

    /// Returns the number of the first shard of a pass that begins after `shard`, or `Int.max`.
    static func firstShard(after shard: Int, in folder: DatasetFolder) throws(SystemError) -> Int {
        let passes = try passes(in: endedName, of: folder) + passes(in: currentName, of: folder)
        return passes.map(\.firstShard).filter { $0 > shard }.min() ?? .max
    }

    private func hasCode(_ code: String) -> Bool { codes.isEmpty || codes.contains(code) }

    private static func passes(in name: String, of folder: DatasetFolder) throws(SystemError) -> [RetryPass] {
        guard let bytes = try folder.read(name, in: folder.work) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            guard let number = parts.first.flatMap({ Int($0) }), parts.count == 2 else { return nil }
            return RetryPass(firstShard: number, codes: parts[1].split(separator: ",").map(String.init))
        }
    }
}

/// The failures of a dataset as a list, for one consumer.
actor FailureReader: ListReading {
    private let pass: RetryPass
    private let folder: DatasetFolder
    private let plan: ShardPlan
    private let schema: SampleSchema
    /// The column of the hash to verify; `nil` for none.
    private let hashColumn: String?
    private let executor: ThreadExecutor
    private var shards: ArraySlice<Int>
    private var current = 0
    private var bytes: InputFile?
    private var lines = LineSplitter(limit: DelimitedRows.limit)
    private var ready: ArraySlice<ListItem> = []
    private var nextIndex = 0

    init(
        _ pass: RetryPass,
        of folder: DatasetFolder,
        _ options: DatasetOptions,
        executor: ThreadExecutor
    ) {
        self.pass = pass
        self.folder = folder
        plan = options.plan()
        schema = options.schema
        hashColumn = options.hashColumn
        self.executor = executor
        shards = folder.completeShards().filter { $0 < pass.firstShard }[...]
    }

    func next() async throws -> ListItem? {
        while ready.isEmpty {
            do {
                guard try await readMore() else { return nil }
            } catch let error as SystemError {
                shards = []
                bytes = nil
                ready = [broken("the failures of shard \(plan.name(of: current)) cannot be read: \(error)")]
            }
        }
        return ready.popFirst()
    }

    private func readMore() async throws -> Bool {
        guard let bytes else {
            guard let next = shards.popFirst() else { return false }
            current = next
            let path = "\(folder.path)/\(plan.name(of: next)).jsonl"
            bytes = try await executor.run {
                try InputFile(OpenFile(path, O_RDONLY), executor: self.executor)
            }
            return true
        }
        let chunk = try await bytes.read()
        if chunk.isEmpty { self.bytes = nil }
        for line in chunk.isEmpty ? [lines.finish()] : lines.split(chunk) where !line.bytes.isEmpty {
            if let item = item(of: line.bytes) {
                ready.append(item)
                nextIndex += 1
            }
        }
        return true
    }

    private func item(of line: [UInt8]) -> ListItem? {
        let kept = schema.extras + (schema.hasCaption ? ["caption"] : []) + (hashColumn.map { [$0] } ?? [])
        guard var fields = try? JSONRow.fields(kept + ["url", "error_code"], in: line) else {
            return broken("shard \(plan.name(of: current)) has a damaged line in its metadata")
        }
        guard let code = fields.removeLast().text, pass.includes(code, of: current) else { return nil }
        let url = fields.removeLast().text ?? ""
        return ListItem(index: nextIndex, url: url, fields: fields)
    }

    private func broken(_ message: String) -> ListItem {
        let problem = ListItem.InvalidReason(code: .fileNotReadable, message: message)
        return ListItem(index: nextIndex, url: "", invalidReason: problem)
    }
}

extension DatasetFolder {
    /// Returns the numbers of the complete shards, in order.
    func completeShards() -> [Int] { numbers(before: "_stats.json", in: root) }

    /// Returns the numbers of the shards in progress, in order.
    func unfinishedShards() -> [Int] {
        let complete = Set(completeShards())
        return numbers(before: ".journal", in: work).filter { !complete.contains($0) }
    }

    private func numbers(before ending: String, in folder: OpenFile) -> [Int] {
        FolderNames.all(in: ".", of: folder).filter { $0.hasSuffix(ending) }
            .compactMap { Int($0.dropLast(ending.count)) }.sorted()
    }
}
