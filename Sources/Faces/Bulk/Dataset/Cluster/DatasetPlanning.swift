internal import CalotypeCore
import CalotypeFiles
internal import CalotypePlatform
internal import TaskFlow

/// Makes the plan of a dataset for several machines: the job of `calotype dataset plan`.
public struct DatasetPlanning: Sendable {
    private let options: DatasetOptions
    private let words: [String]
    private let tailAfter: Int

    /// Creates a job.
    ///
    /// - Parameters:
    ///   - options: The options of the dataset.
    ///   - words: The same as words of a command line, from which the workers make theirs.
    ///   - tailAfter: The number of entries of one host that share shards with those of other hosts, at least 1. The
    ///     rest is in the tail: shards at the end, for which no other shard has to wait.
    public init(_ options: DatasetOptions, words: [String], tailAfter: Int = 50_000) {
        self.options = options
        self.words = words
        self.tailAfter = max(tailAfter, 1)
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
        try OutputFolder.createFolders(
            "\(options.output)/\(DatasetFolder.workName)/\(DatasetPlan.folderName)"
        )
        let root = try OpenFile(DatasetPlan.folderName, in: folder.work, O_RDONLY | O_DIRECTORY)
        let names = FolderNames.all(in: ".", of: root)
        guard !names.contains(DatasetPlan.manifestName) else {
            throw BulkError("\(options.output) has a plan, which never changes; give another folder")
        }
        try options.check(folder)
        // An interrupted attempt may have written more.
        for name in names { unsafe unlinkat(root.descriptor, name, 0) }
        var writing = PlanWriting(root, folder, options.plan(), tailAfter)
        while let item = try await list.next() {
            if item.invalidReason?.code == .fileNotReadable {
                throw BulkError(item.invalidReason?.message ?? "the list cannot be read")
            }
            try writing.add(item.planLine, of: ListItem.host(of: item.url))
        }
        // The reader ends its list when it is cancelled.
        try Task.checkCancellation()
        return try writing.end(words)
    }
}

/// The files of a plan in the making.
///
/// Its methods block; call them on a file thread.
private struct PlanWriting {
    /// The lines of a shard that is not full, and the order of those that are.
    private struct Part {
        var lines: [String] = []
        var order = HandOutOrder()
    }

    private let root: OpenFile
    private let folder: DatasetFolder
    private let shards: ShardPlan
    private var hosts: HostCounts
    private let tailAfter: UInt32
    private var bulk = Part()
    private var tail = Part()
    private var count = 0

    init(_ root: OpenFile, _ folder: DatasetFolder, _ shards: ShardPlan, _ tailAfter: Int) {
        self.root = root
        self.folder = folder
        self.shards = shards
        self.tailAfter = UInt32(clamping: tailAfter)
        hosts = HostCounts()
    }

    mutating func add(_ line: String, of host: String) throws(SystemError) {
        count += 1
        if hosts.add(host) > tailAfter {
            try add(line, of: host, to: &tail) { "tail-\($0)" }
        } else {
            try add(line, of: host, to: &bulk) { shards.name(of: $0) }
        }
    }

    /// Writes what is left; returns the plan.
    mutating func end(_ words: [String]) throws(SystemError) -> DatasetPlan {
        let (first, full) = (bulk.order.count, tail.order.count)
        for index in 0..<full {
            let (old, new) = ("tail-\(index).jsonl", "\(shards.name(of: first + index)).jsonl")
            guard unsafe renameat(root.descriptor, old, root.descriptor, new) == 0 else {
                throw SystemError("rename \(old)")
            }
        }
        // Only the last shard may have fewer lines than others.
        var rest = (bulk.lines + tail.lines)[...]
        let hasTail = full > 0 || !tail.lines.isEmpty
        while !rest.isEmpty {
            let lines = rest.prefix(shards.samplesPerShard)
            rest = rest.dropFirst(lines.count)
            try write(lines, as: shards.name(of: bulk.order.count + tail.order.count))
            if hasTail { tail.order.endShard() } else { bulk.order.endShard() }
        }
        let order = bulk.order.shards + tail.order.shards.map { first + $0 }
        let names = order.map { shards.name(of: $0) + "\n" }.joined()
        try folder.replace(DatasetPlan.orderName, with: Array(names.utf8), in: root)
        let plan = DatasetPlan(
            samples: count,
            samplesPerShard: shards.samplesPerShard,
            tailShards: tail.order.count,
            words: words
        )
        try folder.replace(DatasetPlan.manifestName, with: Array(plan.text.utf8), in: root)
        return plan
    }

    private func add(
        _ line: String,
        of host: String,
        to part: inout Part,
        name: (Int) -> String
    ) throws(SystemError) {
        part.lines.append(line)
        part.order.add(host)
        guard part.lines.count == shards.samplesPerShard else { return }
        try write(part.lines[...], as: name(part.order.count))
        part.lines.removeAll(keepingCapacity: true)
        part.order.endShard()
    }

    private func write(_ lines: ArraySlice<String>, as shard: String) throws(SystemError) {
        let name = "\(shard).jsonl"
        let file = try AtomicFile(in: folder.work, temporary: ".\(folder.attempt).\(name)", unnamed: false)
        try file.file.write(Array(lines.map { $0 + "\n" }.joined().utf8))
        try file.commit(as: name, in: root, synced: true)
    }
}

/// Counts the entries of each host in four mebibytes, however many hosts there are.
///
/// A count is never too low, and hardly ever too high: this is a count-min sketch (Cormode and Muthukrishnan, "An Improved
/// Data Stream Summary", 2005) that raises only the lowest counters (Estan and Varghese, 2002).
struct HostCounts {
    private static let rows = 4
    private static let columns = 1 << 18

    private var counters = [UInt32](repeating: 0, count: rows * columns)

    /// Adds an entry of `host`; returns how many there are with it.
    mutating func add(_ host: String) -> UInt32 {
        let hash = StableHash.hash64(host, seed: 0)
        let (start, step) = (Int(truncatingIfNeeded: hash), Int(truncatingIfNeeded: hash >> 32) | 1)
        let places = (0..<Self.rows).map { row in
            row * Self.columns + (start &+ row &* step) & (Self.columns - 1)
        }
        let count = (places.map { counters[$0] }.min() ?? 0).addingReportingOverflow(1)
        guard !count.overflow else { return .max }
        for place in places { counters[place] = max(counters[place], count.partialValue) }
        return count.partialValue
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
    /// The number of shards that have ended.
    private(set) var count = 0

    /// Adds a URL of `host` to the current shard.
    mutating func add(_ host: String) { counts[host, default: 0] += 1 }

    /// Ends the current shard.
    mutating func endShard() {
        let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
        // A host that has little of a shard does not hold it up.
        let total = counts.values.reduce(0, +)
        let name = most.map { $0.value * 4 > total ? $0.key : "" } ?? ""
        if groups[name] == nil { hosts.append(name) }
        groups[name, default: []].append(count)
        count += 1
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
