import CalotypeFiles
import CalotypePlatform

/// Where the files of a shard are made, and how they are called.
struct ShardStaging {
    let folder: DatasetFolder
    let schema: SampleSchema
    let format: DatasetOptions.Format
    /// The shard's name.
    let name: String
    /// The ending of pictures' names.
    let ending: String

    /// Creates the file of the shard with this ending.
    func file(ending: String) throws -> StagedFile {
        let file = "\(name).\(ending)"
        return try StagedFile(file, as: temporary(file), in: folder.work)
    }

    /// Returns the temporary name of `file`.
    func temporary(_ file: String) -> String { "\(folder.attempt).\(file)" }

    func form() throws -> any ShardForm {
        switch format {
        case .webdataset: try TarShard(self)
        case .files: try FolderShard(self)
        case .parquet: NoShard()
        }
    }

    /// The table of all samples, with the pictures if there is no other place for them.
    func table() throws -> SampleTable {
        try SampleTable(schema, picture: format == .parquet ? ending : nil, to: file(ending: "parquet"))
    }
}

/// Completes a shard from its journal.
///
/// It first writes the files under temporary names, and then creates a hard link to a claim that lists them.
/// The link completes the shard, and only one attempt can create it. Any process that finds the claim renames
/// the files, and writes the statistics last. Its functions block; call them on a file thread.
struct ShardCommit {
    let folder: DatasetFolder
    let plan: ShardPlan

    /// Makes the files of the shard from its journal, in the order of the list.
    ///
    /// - Returns: The statistics; those of another attempt if that was first.
    func commit(
        _ shard: Int,
        _ journal: ShardJournal,
        _ staging: ShardStaging,
        list: String,
        since start: Double
    ) throws {
        var stats = ShardStats()
        var form = try staging.form()
        let lines = try staging.file(ending: "jsonl")
        var table = try staging.table()
        var last: [Int: ShardJournal.Entry] = [:]
        for entry in try journal.entries() { last[entry.sample.index] = entry }
        for entry in last.values.sorted(by: { $0.sample.index < $1.sample.index }) {
            let key = plan.key(of: entry.sample.index)
            stats.count(entry.sample)
            try lines.write(staging.schema.line(of: entry.sample, key: key) + "\n")
            let picture = try journal.picture(at: entry.place)
            try table.add(entry.sample, key: key, picture: picture)
            if entry.sample.status == .success { try form.add(entry.sample, key: key, picture: picture) }
        }
        stats.files = try form.finish() + [try table.finish(), try lines.finish()]
        stats.times = (start, ShardStats.now())
        stats.list = list
        try claim(shard, stats)
        try rollForward(shard)
    }

    /// Whether the shard is complete and all its files have their names.
    func isComplete(_ shard: Int) -> Bool {
        var status = stat()
        return unsafe fstatat(folder.root.descriptor, statsName(shard), &status, 0) == 0
    }

    /// Returns what identifies the lines of the list that a complete shard was made from.
    func list(of shard: Int) throws(SystemError) -> String? {
        try folder.read(claimName(shard), in: folder.work).flatMap { Claim($0)?.list }
    }

    /// Gives the files of a claimed shard their names, if an attempt was killed before it could.
    ///
    /// - Returns: Whether the shard is complete.
    @discardableResult
    func rollForward(_ shard: Int) throws(SystemError) -> Bool {
        if isComplete(shard) { return true }
        guard let bytes = try folder.read(claimName(shard), in: folder.work) else { return false }
        guard let claim = Claim(bytes) else {
            throw SystemError("read \(claimName(shard))", code: EILSEQ)
        }
        for name in claim.files {
            let from = "\(claim.attempt).\(name)"
            guard unsafe renameat(folder.work.descriptor, from, folder.root.descriptor, name) == 0 else {
                // Another process has done so in the meantime.
                if errno == ENOENT { continue }
                throw SystemError("name \(name)")
            }
        }
        try folder.sync(folder.root)
        try folder.replace(statsName(shard), with: Array(claim.stats.utf8), in: folder.root)
        unsafe unlinkat(folder.work.descriptor, journalName(shard), 0)
        return true
    }

    /// Opens the journal of a shard.
    func journal(of shard: Int) throws(SystemError) -> ShardJournal {
        try ShardJournal(journalName(shard), in: folder.journals)
    }

    private func claim(_ shard: Int, _ stats: ShardStats) throws {
        let claim = Claim(
            attempt: folder.attempt,
            list: stats.list,
            files: stats.files.map(\.name),
            stats: stats.json
        )
        let temporary = "\(folder.attempt).\(claimName(shard))"
        try folder.replace(temporary, with: claim.bytes, in: folder.work)
        let descriptor = folder.work.descriptor
        let status = unsafe linkat(descriptor, temporary, descriptor, claimName(shard), 0)
        let reason = errno
        unsafe unlinkat(descriptor, temporary, 0)
        if status == 0 { return try folder.sync(folder.work) }
        for file in stats.files { unsafe unlinkat(descriptor, "\(folder.attempt).\(file.name)", 0) }
        // Another attempt was first, and its files stay.
        if reason != EEXIST { throw SystemError("claim the shard", code: reason) }
    }

    private func statsName(_ shard: Int) -> String { "\(plan.name(of: shard))_stats.json" }
    private func claimName(_ shard: Int) -> String { "\(plan.name(of: shard)).commit" }
    private func journalName(_ shard: Int) -> String { "\(plan.name(of: shard)).journal" }
}

/// What an attempt says when it has made all files of a shard.
private struct Claim {
    let attempt: String
    let list: String
    let files: [String]
    let stats: String

    init(attempt: String, list: String, files: [String], stats: String) {
        self.attempt = attempt
        self.list = list
        self.files = files
        self.stats = stats
    }

    /// Reads a claim: a line each for the attempt, the list and the statistics, and one for each file.
    init?(_ bytes: [UInt8]) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        guard lines.count >= 4, lines.last == "end" else { return nil }
        attempt = lines[0]
        list = lines[1]
        stats = lines[2]
        files = Array(lines[3..<lines.count - 1])
    }

    var bytes: [UInt8] {
        Array(([attempt, list, stats] + files + ["end", ""]).joined(separator: "\n").utf8)
    }
}
