internal import CalotypeDigests
import CalotypeFiles
internal import CalotypePlatform

/// Reads a dataset that ``DatasetJob`` has made: to verify it, or to sum it up.
///
/// Its functions block while they read files.
public struct DatasetInspection: Sendable {
    /// A shard that is complete, by its statistics.
    struct Shard: Sendable {
        let name: String
        let stats: ShardStats
    }

    let path: String
    let root: OpenFile

    /// Opens the folder of a dataset.
    ///
    /// - Throws: ``BulkError`` if there is no dataset.
    public init(path: String) throws(BulkError) {
        self.path = path
        do throws(SystemError) {
            root = try OpenFile(path, O_RDONLY | O_DIRECTORY)
        } catch {
            throw BulkError("the dataset \(path) cannot be read: \(error)")
        }
        if shardNames.isEmpty, unfinishedCount == 0 {
            throw BulkError("\(path) has no shards: it is no dataset, or none is complete yet")
        }
    }

    /// The address to which the shards were uploaded; `nil` if they are in the folder.
    public var store: String? {
        let name = "\(DatasetFolder.workName)/\(DatasetFolder.storeName)"
        guard let bytes = try? read(name) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }

    /// The names of the complete shards, in order.
    var shardNames: [String] {
        let ending = "_stats.json"
        return FolderNames.all(in: ".", of: root).filter { $0.hasSuffix(ending) && !$0.hasPrefix(".") }
            .map { String($0.dropLast(ending.count)) }.sorted()
    }

    /// The number of shards in progress.
    var unfinishedCount: Int {
        let complete = Set(shardNames)
        return FolderNames.all(in: DatasetFolder.workName, of: root).count {
            $0.hasSuffix(".journal") && !complete.contains(String($0.dropLast(".journal".count)))
        }
    }

    /// Reads the statistics of a shard.
    func shard(_ name: String) throws -> Shard {
        let file = "\(name)_stats.json"
        guard let stats = ShardStats(json: try read(file)) else {
            throw BulkError("\(file) is damaged")
        }
        return Shard(name: name, stats: stats)
    }

    /// Calls `body` with each line of the metadata of a shard.
    func forEachLine(of shard: String, _ body: ([UInt8]) throws -> Void) throws {
        let file = try OpenFile("\(shard).jsonl", in: root, O_RDONLY)
        var lines = LineSplitter(limit: DelimitedRows.limit)
        while true {
            let chunk = try file.read(1 << 20)
            for line in chunk.isEmpty ? [lines.finish()] : lines.split(chunk) where !line.bytes.isEmpty {
                try body(line.bytes)
            }
            if chunk.isEmpty { return }
        }
    }

    private func read(_ name: String) throws(SystemError) -> [UInt8] {
        let file = try OpenFile(name, in: root, O_RDONLY)
        return try file.read(min(Int(file.status().st_size), 64 << 20), at: 0)
    }
}

extension DatasetInspection {
    /// What a verification has found.
    public struct Findings: Sendable {
        /// The number of complete shards.
        public var shards = 0
        /// The number of shards in progress.
        public var unfinished = 0
        /// The number of samples of the complete shards.
        public var samples = 0
        /// The number of those that have a picture.
        public var pictures = 0
        /// What is wrong, one sentence each; at most a thousand.
        public var problems: [String] = []
    }

    /// Checks each file against its length and hash, each key and each picture.
    ///
    /// Stops early if the task is cancelled.
    public func verify() -> Findings {
        var findings = Findings()
        findings.unfinished = unfinishedCount
        let names = shardNames
        for name in names where !Task.isCancelled && findings.problems.count < 1000 {
            findings.shards += 1
            do {
                let shard = try shard(name)
                findings.samples += shard.stats.count
                findings.pictures += shard.stats.successes
                for file in shard.stats.files { try verify(file, &findings) }
                try verifyKeys(of: shard, &findings)
            } catch {
                findings.problems.append("shard \(name): \(error)")
            }
        }
        let known = Set(names)
        for file in FolderNames.all(in: ".", of: root).sorted() where file.hasSuffix(".tar") {
            if !known.contains(String(file.dropLast(4))) {
                findings.problems.append("\(file) has no statistics: it is of no complete shard")
            }
        }
        return findings
    }

    private func verify(_ stored: ShardFile, _ findings: inout Findings) throws {
        let file = try OpenFile(stored.name, in: root, O_RDONLY)
        let status = try file.status()
        // The files of a folder have no hash of their own here; their number is checked.
        guard status.isKind(S_IFREG) else { return }
        guard status.st_size == stored.bytes else {
            return findings.problems.append(
                "\(stored.name) has \(status.st_size) bytes instead of \(stored.bytes)"
            )
        }
        var digest = try DigestStream(.sha256)
        while true {
            let chunk = try file.read(1 << 20)
            if chunk.isEmpty { break }
            try digest.update(chunk)
        }
        if try digest.finish().hexadecimal != stored.sha256 {
            findings.problems.append("\(stored.name) has changed: its SHA-256 is not the recorded one")
        }
    }

    /// Checks that the metadata has each sample once and that each picture is where it belongs.
    private func verifyKeys(of shard: Shard, _ findings: inout Findings) throws {
        var (count, last) = (0, "")
        var keys: [String] = []
        try forEachLine(of: shard.name) { line in
            count += 1
            let fields = try JSONRow.fields(["key", "status"], in: line)
            let key = fields[0].text ?? ""
            guard key > last else { throw BulkError("the key \(key) follows \(last)") }
            last = key
            if fields[1].text == Sample.Status.success.rawValue { keys.append(key) }
        }
        guard count == shard.stats.count, keys.count == shard.stats.successes else {
            throw BulkError("its metadata has \(count) samples instead of \(shard.stats.count)")
        }
        let found = try pictureKeys(of: shard)
        if let found, found != keys {
            throw BulkError("it has \(found.count) pictures instead of \(keys.count), or others")
        }
    }

    /// Returns the keys of the pictures of a shard, in order; `nil` if they are in a table.
    private func pictureKeys(of shard: Shard) throws -> [String]? {
        guard let file = shard.stats.files.first, !file.name.hasSuffix(".parquet") else { return nil }
        if file.name.hasSuffix(".tar") { return try tarKeys(file.name) }
        let names = FolderNames.all(in: file.name, of: root).filter(Self.isPicture)
        return names.compactMap { $0.split(separator: ".").first.map(String.init) }.sorted()
    }

    /// Whether a file is the first picture of its sample: `KEY.jpg`, not `KEY.512.jpg`.
    private static func isPicture(_ name: String) -> Bool {
        !name.hasSuffix(".json") && !name.hasSuffix(".txt") && name.count(where: { $0 == "." }) == 1
    }

    private func tarKeys(_ name: String) throws -> [String] {
        let file = try OpenFile(name, in: root, O_RDONLY)
        var keys: [String] = []
        var offset = 0
        while let member = TarMember.parse(try file.read(512, at: offset)) {
            offset += 512 + (member.bytes + 511) / 512 * 512
            guard Self.isPicture(member.name) else { continue }
            keys.append(String(member.name.prefix { $0 != "." }))
        }
        return keys
    }
}

extension TarMember {
    /// Returns the name and length in a header; `nil` for the end of the file or damage.
    static func parse(_ header: [UInt8]) -> (name: String, bytes: Int)? {
        guard header.count == 512, header[0] != 0 else { return nil }
        let name = String(decoding: header[..<100].prefix { $0 != 0 }, as: UTF8.self)
        guard let bytes = Int(String(decoding: header[124..<135], as: UTF8.self), radix: 8) else {
            return nil
        }
        return (name, bytes)
    }
}

extension ShardStats {
    /// Reads a shard's statistics; `nil` if they are damaged.
    init?(json: [UInt8]) {
        let names = [
            "count", "successes", "failed_to_download", "failed_to_resize", "start_time", "end_time",
            "status_dict", "files",
        ]
        guard let fields = try? JSONRow.fields(names, in: json) else { return nil }
        let numbers = fields.map { $0.text.flatMap { Double($0) } ?? 0 }
        count = Int(clamping: numbers[0])
        successes = Int(clamping: numbers[1])
        failedToDownload = Int(clamping: numbers[2])
        failedToResize = Int(clamping: numbers[3])
        times = (numbers[4], numbers[5])
        if let text = fields[6].text, let members = try? JSONRow.members(in: Array(text.utf8)) {
            for (code, number) in members { codes[code] = number.text.flatMap { Int($0) } }
        }
        var items = JSONArrayItems()
        guard let text = fields[7].text, let found = try? items.split(Array(text.utf8)) else { return nil }
        for item in found {
            guard let file = try? JSONRow.fields(["name", "bytes", "sha256"], in: item.bytes),
                let name = file[0].text, let bytes = file[1].text.flatMap({ Int($0) }), let sum = file[2].text
            else { return nil }
            files.append(ShardFile(name: name, bytes: bytes, sha256: sum))
        }
    }
}
