import CalotypeFiles
internal import CalotypePlatform

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
        try SampleTable(
            schema,
            pictures: format == .parquet ? schema.pictureNames(ending) : [],
            to: file(ending: "parquet")
        )
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
    /// Whether this process may still complete shards.
    var mayClaim: @Sendable () -> Bool = { true }

    /// Makes the files of the shard from its journal, in the order of the list, and completes the shard.
    ///
    /// If another attempt was first, its files stay, and those of this one are removed.
    func commit(
        _ shard: Int,
        _ journal: ShardJournal,
        _ staging: ShardStaging,
        samples: Int,
        list: String,
        since start: Double
    ) throws {
        var attempt = ShardAttempt(folder, plan.name(of: shard), mayClaim: mayClaim) {
            try write(journal, staging, samples: samples, list: list, since: start)
        }
        do {
            while try attempt.advance() {}
        } catch {
            attempt.discard()
            throw error
        }
        unsafe unlinkat(folder.journals.folder.descriptor, journalName(shard), 0)
    }

    private func write(
        _ journal: ShardJournal,
        _ staging: ShardStaging,
        samples: Int,
        list: String,
        since start: Double
    ) throws -> ShardStats {
        var stats = ShardStats()
        var form = try staging.form()
        let lines = try staging.file(ending: "jsonl")
        var table = try staging.table()
        var duplicates = NearDuplicates()
        var last: [Int: ShardJournal.Entry] = [:]
        for entry in try journal.entries() { last[entry.sample.index] = entry }
        guard last.count == samples else {
            throw BulkError("its journal has \(last.count) samples instead of \(samples)")
        }
        for entry in last.values.sorted(by: { $0.sample.index < $1.sample.index }) {
            let key = plan.key(of: entry.sample.index)
            var sample = entry.sample
            stats.count(sample)
            sample.nearDuplicate = sample.perceptualHash.flatMap { duplicates.add($0, key) }
            try lines.write(staging.schema.line(of: sample, key: key) + "\n")
            let pictures = sample.pictures(in: try journal.picture(at: entry.place))
            try table.add(sample, key: key, pictures: pictures)
            if sample.status == .success { try form.add(sample, key: key, pictures: pictures) }
        }
        stats.files = try form.finish() + [try table.finish(), try lines.finish()]
        stats.times = (start, ShardStats.now())
        stats.list = list
        return stats
    }

    /// Returns what identifies the lines of the list that a complete shard was made from.
    func list(of shard: Int) throws(SystemError) -> String? {
        try ShardClaim.read(plan.name(of: shard), in: folder)?.list
    }

    /// Gives the files of a claimed shard their names, if an attempt was killed before it could.
    ///
    /// - Returns: Whether the shard is complete.
    @discardableResult
    func rollForward(_ shard: Int) throws(SystemError) -> Bool {
        guard var forward = try RollForward(plan.name(of: shard), in: folder) else { return false }
        while try forward.advance() {}
        return true
    }

    /// Opens the journal of a shard.
    func journal(of shard: Int) throws(SystemError) -> ShardJournal {
        try ShardJournal(journalName(shard), in: folder.journals)
    }

    private func journalName(_ shard: Int) -> String { folder.journalName(plan.name(of: shard)) }
}
