internal import CalotypeCore
internal import CalotypeDigests
internal import CalotypeSQLite

/// The index from its writer's view: a row for each entry, in two queues, with their totals at hand.
///
/// The totals are held in memory and written with each transaction.
final class DiskIndex {
    /// The count and the bytes of the entries of one queue.
    struct Total: Hashable, Sendable {
        var count = 0
        var bytes = 0
    }

    /// A row to insert.
    struct Draft {
        let key: Digest
        let segment: QueueSegment
        let size: Int
        let generation: Int64
        let createdMilliseconds: Int64
        let metadata: [UInt8]
        /// The value; `nil` if it is in a value file.
        let bytes: [UInt8]?
    }

    let folder: CacheFolder
    /// The condition in which the last session left the index.
    let conditionBefore: IndexCondition
    /// Whether it was rebuilt, and there may be value files that it does not know yet.
    private(set) var isRecovering: Bool
    private(set) var totals: [Total] = [Total(), Total()]
    let connection: SQLiteConnection
    private let firstGeneration: Int64
    private var count: Int64 = 0
    private var lastSequence: Int64 = 0

    /// Opens the index in `folder`, and marks it as in use.
    ///
    /// `milliseconds` is the time since 1970; it places the generations of a rebuilt index above those of the
    /// files that an older index left behind.
    init(_ folder: CacheFolder, milliseconds: Int64, logLimit: ByteCount) throws(SQLiteError) {
        let hadLog = folder.logLength != nil
        let (connection, isNew) = try IndexSchema.open(folder.indexPath, logLimit: logLimit)
        let state = try connection.first("SELECT session, condition FROM state") { row in
            (row.integer(0), IndexCondition(rawValue: row.int(1)))
        }
        // A flipped bit must not lead to numbers that overflow.
        guard let (session, condition) = state, let condition, (0..<1 << 62).contains(session) else {
            throw .otherVersion(IndexSchema.version)
        }
        // A session that did not end well leaves a log; without it the index is an old one.
        guard isNew || condition != .inUse || hadLog else { throw .logMissing }
        firstGeneration = Self.generation(after: session, milliseconds)
        conditionBefore = isNew ? .recovering : condition
        // Without files there is nothing to recover. The mark is written now, before readers open the index: a reader
        // can block the checkpoint, and then the mark would only be in the log, which a crash can lose.
        isRecovering = conditionBefore == .recovering && !folder.blobFolders().isEmpty
        (self.folder, self.connection) = (folder, connection)
        try connection.run("UPDATE state SET session = ?", .integer(firstGeneration))
        try noteUse()
        lastSequence =
            try connection.first("SELECT max(seq) FROM entry WHERE segment = 0") { $0.integer(0) } ?? 0
        let main = try connection.first("SELECT max(seq) FROM entry WHERE segment = 1") { $0.integer(0) } ?? 0
        lastSequence = min(max(lastSequence, main), 1 << 62)
        try loadTotals()
    }

    /// Records that all files were entered in a rebuilt index.
    ///
    /// From now on an unknown file is useless, because its entry was replaced or removed.
    func endRecovery() throws(SQLiteError) {
        guard isRecovering else { return }
        isRecovering = false
        try noteUse()
    }

    private func noteUse() throws(SQLiteError) {
        let condition = isRecovering ? IndexCondition.recovering : .inUse
        try connection.run("UPDATE state SET condition = ?", .int(condition.rawValue))
        // So that the mark survives even if the log is lost.
        _ = try connection.checkpoint(.passive)
    }

    /// The first generation of a session: above all generations of the session before and, as far as the
    /// clock can be trusted, of another index.
    private static func generation(after session: Int64, _ milliseconds: Int64) -> Int64 {
        max(session + 1 << 40, min(max(milliseconds, 0), 1 << 45) << 16)
    }

    // MARK: Totals

    /// The bytes of all entries.
    var bytes: Int { totals.reduce(0) { $0 + $1.bytes } }
    /// The number of all entries.
    var entryCount: Int { totals.reduce(0) { $0 + $1.count } }

    private func loadTotals() throws(SQLiteError) {
        for segment in QueueSegment.allCases {
            let sql = "SELECT count, bytes FROM total WHERE segment = ?"
            totals[segment.rawValue] =
                try connection.first(sql, .int(segment.rawValue)) {
                    Total(count: $0.int(0), bytes: $0.int(1))
                }
                ?? Total()
        }
        let isSensible = totals.allSatisfy {
            (0..<1 << 56).contains($0.bytes) && (0..<1 << 40).contains($0.count)
        }
        if !isSensible { try countAnew() }
    }

    /// Counts the rows again, which takes a fraction of a second for a million of them.
    func countAnew() throws(SQLiteError) {
        try transaction { () throws(SQLiteError) in
            for segment in QueueSegment.allCases {
                let sql = "SELECT count(*), sum(size) FROM entry WHERE segment = ?"
                totals[segment.rawValue] =
                    try connection.first(sql, .int(segment.rawValue)) {
                        Total(count: $0.int(0), bytes: $0.int(1))
                    }
                    ?? Total()
            }
        }
    }

    // MARK: Changes

    /// Runs `body` and commits all of its changes, or none.
    func transaction<Output>(_ body: () throws(SQLiteError) -> Output) throws(SQLiteError) -> Output {
        let before = totals
        do {
            return try connection.transaction(.immediate) { () throws(SQLiteError) in
                let output = try body()
                try saveTotals(unless: before)
                return output
            }
        } catch {
            totals = before
            throw error
        }
    }

    private func saveTotals(unless before: [Total]) throws(SQLiteError) {
        for segment in QueueSegment.allCases where totals[segment.rawValue] != before[segment.rawValue] {
            let total = totals[segment.rawValue]
            let sql = "UPDATE total SET count = ?, bytes = ? WHERE segment = ?"
            try connection.run(sql, .int(total.count), .int(total.bytes), .int(segment.rawValue))
        }
    }

    /// Returns a generation that no file has yet.
    func nextGeneration() -> Int64 {
        count += 1
        return firstGeneration + count
    }

    func clearTotals() {
        totals = [Total(), Total()]
    }

    func add(_ segment: QueueSegment, count: Int, bytes: Int) {
        totals[segment.rawValue].count += count
        totals[segment.rawValue].bytes += bytes
    }

    func nextSequence() -> Int64 {
        lastSequence += 1
        return lastSequence
    }
}

/// The condition in which the previous session left the index.
enum IndexCondition: Int, Sendable {
    /// It did not end well, or is still running.
    case inUse = 0
    case clean = 1
    /// It ended well, but not all files were compared with the index.
    case unscanned = 2
    /// The index was rebuilt, and not all files have been entered yet, whether the session ended well or not.
    case recovering = 3
}

extension DiskIndex {
    /// Whether the log has room for more; copies it back into the database as far as readers allow.
    ///
    /// A stalled reader in another process can prevent the log from being reused.
    func logHasRoom(_ limit: ByteCount) throws(SQLiteError) -> Bool {
        guard let length = folder.logLength, length > limit.bytes else { return true }
        // If the checkpoint is complete, the next change restarts the log.
        return try connection.checkpoint(.passive).isComplete
    }

    /// Copies the whole log back, truncates it, and returns up to `pageLimit` free pages to the file system.
    ///
    /// - Returns: Whether nothing is left to do.
    func tidy(pageLimit: Int = 1024) throws(SQLiteError) -> Bool {
        try connection.execute("PRAGMA incremental_vacuum(\(pageLimit))")
        let free = try connection.first("PRAGMA freelist_count") { $0.int(0) } ?? 0
        guard try connection.checkpoint(.passive).isComplete else { return false }
        // Don't wait for current readers, because changes would wait too.
        connection.setBusyTimeout(.zero)
        defer { connection.setBusyTimeout(IndexSchema.busyTimeout) }
        return try connection.checkpoint(.truncate).isComplete && free == 0
    }

    /// Closes the index, and records the condition in which it is left.
    func close(_ condition: IndexCondition) throws(SQLiteError) {
        try connection.run("UPDATE state SET condition = ?", .int(condition.rawValue))
        try connection.close()
    }

    /// Drops an index that is damaged or was moved, without touching the files of that name.
    func abandon() {
        connection.abandon()
    }
}
