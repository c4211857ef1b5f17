internal import CalotypeCore
internal import CalotypeDigests
internal import CalotypeSQLite

/// The index as its one writer sees it: a row for each entry, in two queues, with their totals at hand.
///
/// Totals are kept in memory and go to the disk with each transaction.
final class DiskIndex {
    /// The count and the bytes of the entries of one queue.
    struct Total: Hashable, Sendable {
        var count = 0
        var bytes = 0
    }

    /// A row to be.
    struct Draft {
        let key: Digest
        let segment: QueueSegment
        let size: Int
        let generation: Int64
        let createdMilliseconds: Int64
        let metadata: [UInt8]
        /// `nil` where they are in a value file.
        let bytes: [UInt8]?
    }

    let folder: CacheFolder
    /// How the index was left.
    let conditionBefore: IndexCondition
    /// Whether it was made anew, and values may be in files that it does not know yet.
    private(set) var isRecovering: Bool
    private(set) var totals: [Total] = [Total(), Total()]
    let connection: SQLiteConnection
    private let firstGeneration: Int64
    private var count: Int64 = 0
    private var lastSequence: Int64 = 0

    /// Opens the index in `folder`, and notes that it is in use.
    ///
    /// `milliseconds` is the time since 1970, by which the generations of an index made anew are above those of the files
    /// that an older one left.
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
        // A run that did not end well leaves a log; without it the index is an old one.
        guard isNew || condition != .inUse || hadLog else { throw .logMissing }
        firstGeneration = Self.generation(after: session, milliseconds)
        conditionBefore = isNew ? .recovering : condition
        isRecovering = conditionBefore == .recovering
        (self.folder, self.connection) = (folder, connection)
        try connection.run("UPDATE state SET session = ?", .integer(firstGeneration))
        try noteUse()
        lastSequence =
            try connection.first("SELECT max(seq) FROM entry WHERE segment = 0") { $0.integer(0) } ?? 0
        let main = try connection.first("SELECT max(seq) FROM entry WHERE segment = 1") { $0.integer(0) } ?? 0
        lastSequence = min(max(lastSequence, main), 1 << 62)
        try loadTotals()
    }

    /// Takes note that all files were entered in an index made anew: from now on a file that it does not know is of no
    /// use, since the entry was replaced or removed.
    func endRecovery() throws(SQLiteError) {
        guard isRecovering else { return }
        isRecovering = false
        try noteUse()
    }

    private func noteUse() throws(SQLiteError) {
        let condition = isRecovering ? IndexCondition.recovering : .inUse
        try connection.run("UPDATE state SET condition = ?", .int(condition.rawValue))
        // So that the note is found even if the log is lost.
        _ = try connection.checkpoint(.passive)
    }

    /// The first generation of a session: above all of the session before, and by the clock of another index's, as far as
    /// the clock can be trusted.
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

    /// Counts the rows anew, which takes a fraction of a second for a million of them.
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

    /// Runs `body` and commits what it changed, or none of it.
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

    /// A generation that no file has yet.
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

/// How the run before left the index.
enum IndexCondition: Int, Sendable {
    /// It did not end well, or still goes on.
    case inUse = 0
    case clean = 1
    /// It ended well, but the files were not all compared with the index.
    case unscanned = 2
    /// It was made anew, and the files have not all been entered in it, whether it ended well or not.
    case recovering = 3
}

extension DiskIndex {
    /// Whether the log has room for more; brings it back into the database as far as readers let it.
    ///
    /// A reader of another process that stands still can keep the log from being used anew.
    func logHasRoom(_ limit: ByteCount) throws(SQLiteError) -> Bool {
        guard let length = folder.logLength, length > limit.bytes else { return true }
        // Complete, the next change begins the log anew.
        return try connection.checkpoint(.passive).isComplete
    }

    /// Brings the whole log back and cuts it to nothing, and gives up to `pageLimit` free pages back to the file system.
    ///
    /// - Returns: Whether that is all there is to do.
    func tidy(pageLimit: Int = 1024) throws(SQLiteError) -> Bool {
        try connection.execute("PRAGMA incremental_vacuum(\(pageLimit))")
        let free = try connection.first("PRAGMA freelist_count") { $0.int(0) } ?? 0
        guard try connection.checkpoint(.passive).isComplete else { return false }
        // Whoever reads now is not waited for, since changes would wait as well.
        connection.setBusyTimeout(.zero)
        defer { connection.setBusyTimeout(IndexSchema.busyTimeout) }
        return try connection.checkpoint(.truncate).isComplete && free == 0
    }

    /// Closes the index, with a note how it is left.
    func close(_ condition: IndexCondition) throws(SQLiteError) {
        try connection.run("UPDATE state SET condition = ?", .int(condition.rawValue))
        try connection.close()
    }

    /// Lets go of an index that is damaged or no longer where it was, without touching the files of that name.
    func abandon() {
        connection.abandon()
    }
}
