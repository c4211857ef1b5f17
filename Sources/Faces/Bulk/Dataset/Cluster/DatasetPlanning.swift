internal import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform
internal import TaskFlow

/// Makes the plan of a dataset for several machines: the job of `calotype dataset plan`.
public struct DatasetPlanning: Sendable {
    private let options: DatasetOptions
    private let words: [String]

    /// Creates a job.
    ///
    /// - Parameters:
    ///   - options: The options of the dataset.
    ///   - words: The same as words of a command line, from which the workers make theirs.
    public init(_ options: DatasetOptions, words: [String]) {
        self.options = options
        self.words = words
    }

    /// Reads the whole list, and writes the plan.
    ///
    /// An interrupted one is begun again.
    ///
    /// - Throws: ``BulkError`` if the list cannot be read, if the folder cannot be written, or if it has a plan;
    ///   `CancellationError`.
    public func run() async throws -> DatasetPlan {
        try options.check()
        guard options.retriedCodes == nil, options.slice == .all else {
            throw BulkError("a plan has all shards of a list: leave out --retry-failed and --slice")
        }
        if words.contains(where: { $0.contains("\n") }) { throw BulkError("an option contains a line end") }
        return try await withThreadExecutor(name: "calotype-list", threads: 2) { reading in
            try await withThreadExecutor(name: "calotype-io", threads: 1) { writing in
                try await run(reading, writing)
            }
        }
    }

    private func run(_ reading: ThreadExecutor, _ writing: ThreadExecutor) async throws -> DatasetPlan {
        let paths = try await reading.run { try ListFiles.paths(options.input, besides: options.output) }
        let list = TableReader(
            paths,
            format: options.inputFormat,
            options.columns,
            unique: options.seenURLs(),
            executor: reading
        )
        try await list.checkFirst()
        return try await withTaskExecutorPreference(writing) { try await write(list) }
    }

    @concurrent
    private func write(_ list: TableReader) async throws -> DatasetPlan {
        let folder = try DatasetFolder(path: options.output)
        if (try? DatasetPlan(path: options.output)) != nil {
            throw BulkError("\(options.output) has a plan, which never changes; give another folder")
        }
        try options.check(folder)
        try OutputFolder.createFolders(
            "\(options.output)/\(DatasetFolder.workName)/\(DatasetPlan.folderName)"
        )
        let root = try OpenFile(DatasetPlan.folderName, in: folder.work, O_RDONLY | O_DIRECTORY)
        let shards = options.plan()
        var order = HandOutOrder()
        var (lines, count): ([String], Int) = ([], 0)
        while let item = try await list.next() {
            if item.invalidReason?.code == .fileNotReadable {
                throw BulkError(item.invalidReason?.message ?? "the list cannot be read")
            }
            lines.append(item.planLine)
            order.add(ListItem.host(of: item.url))
            count += 1
            guard count % shards.samplesPerShard == 0 else { continue }
            try write(lines, of: shards.shard(of: count - 1), to: root, folder)
            lines.removeAll(keepingCapacity: true)
            order.endShard()
        }
        // The reader ends its list when it is cancelled.
        try Task.checkCancellation()
        if !lines.isEmpty {
            try write(lines, of: shards.shard(of: count - 1), to: root, folder)
            order.endShard()
        }
        let names = order.shards.map { shards.name(of: $0) + "\n" }.joined()
        try folder.replace(DatasetPlan.orderName, with: Array(names.utf8), in: root)
        let plan = DatasetPlan(samples: count, samplesPerShard: shards.samplesPerShard, words: words)
        try folder.replace(DatasetPlan.manifestName, with: Array(plan.text.utf8), in: root)
        return plan
    }

    private func write(
        _ lines: [String],
        of shard: Int,
        to root: OpenFile,
        _ folder: DatasetFolder
    ) throws(SystemError) {
        let name = "\(options.plan().name(of: shard)).jsonl"
        let file = try AtomicFile(in: folder.work, temporary: ".\(folder.attempt).\(name)", unnamed: false)
        try file.file.write(Array(lines.map { $0 + "\n" }.joined().utf8))
        try file.commit(as: name, in: root, synced: true)
    }
}

/// The order in which shards are handed out: those that follow each other have different hosts.
///
/// A list sorted by host has shards of one host each. Handed out in the order of the list, they would all wait for
/// that host at the same time.
struct HandOutOrder {
    /// The number of requests to each host in the current shard.
    private var counts: [String: Int] = [:]
    /// The shards, by the host that most of their URLs name.
    private var groups: [String: [Int]] = [:]
    private var hosts: [String] = []
    private var shardCount = 0

    /// Adds a URL of `host` to the current shard.
    mutating func add(_ host: String) { counts[host, default: 0] += 1 }

    /// Ends the current shard.
    mutating func endShard() {
        let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
        // A host that has little of a shard does not hold it up.
        let total = counts.values.reduce(0, +)
        let name = most.map { $0.value * 4 > total ? $0.key : "" } ?? ""
        if groups[name] == nil { hosts.append(name) }
        groups[name, default: []].append(shardCount)
        shardCount += 1
        counts.removeAll(keepingCapacity: true)
    }

    /// All shards, in order.
    var shards: [Int] {
        // The shards of each host are spread evenly.
        let places = hosts.flatMap { host -> [(place: Double, shard: Int)] in
            let group = groups[host] ?? []
            return group.enumerated().map { index, shard in
                ((Double(index) + 0.5) / Double(group.count), shard)
            }
        }
        return places.sorted { ($0.place, $0.shard) < ($1.place, $1.shard) }.map(\.shard)
    }
}
