internal import CalotypeCSQLite

extension SQLiteConnection {
    /// How much of the log a checkpoint brings back into the database.
    public enum CheckpointMode: Sendable {
        /// What can be had without waiting for anybody.
        case passive
        /// All of it, after waiting for readers and writers; the log starts anew.
        case restart
        /// All of it, after waiting for readers and writers; the log is cut to zero bytes.
        case truncate
    }

    /// What a checkpoint found and did.
    public struct Checkpoint: Hashable, Sendable {
        /// The pages in the log, 0 after a truncation.
        public var logPages: Int
        /// The pages of these that are in the database now.
        public var writtenPages: Int
        /// Whether all of the log is in the database.
        public var isComplete: Bool
    }

    /// Brings the log of a database in WAL mode back into the file.
    ///
    /// - Throws: `locked` inside a transaction; `full` and `ioError` when the file cannot be written. Being held up by
    ///   others is no error: the result tells it.
    public func checkpoint(_ mode: CheckpointMode) throws(SQLiteError) -> Checkpoint {
        try unsafe withDatabase { database throws(SQLiteError) in
            var pages: Int32 = 0
            var written: Int32 = 0
            let status = unsafe sqlite3_wal_checkpoint_v2(database, nil, mode.number, &pages, &written)
            if status & 0xff != SQLITE_BUSY { try check(status) }
            let isComplete = status == SQLITE_OK && pages == written
            return Checkpoint(logPages: Int(pages), writtenPages: Int(written), isComplete: isComplete)
        }
    }

    /// The number that the application gives its schema, 0 in a new database.
    public func userVersion() throws(SQLiteError) -> Int {
        try first("PRAGMA user_version") { $0.int(0) } ?? 0
    }

    /// Gives the schema a number, as part of a transaction if one is open.
    public func setUserVersion(_ version: Int) throws(SQLiteError) {
        try execute("PRAGMA user_version = \(Int32(clamping: version))")
    }

    /// Sets a pragma.
    ///
    /// - Parameters:
    ///   - name: The name, such as `journal_mode`; it is part of the statement, so never text from outside.
    ///   - value: The value as it is written in SQL.
    /// - Returns: What the pragma is now, as text; `nil` where it tells nothing.
    /// - Throws: `busy` and others; an unknown pragma is no error.
    @discardableResult
    public func setPragma(_ name: String, to value: String) throws(SQLiteError) -> String? {
        try first("PRAGMA \(name) = \(value)") { $0.text(0) }
    }

    /// Checks the structure of the database, which takes time in proportion to its size.
    ///
    /// - Parameter problemLimit: How many problems are told.
    /// - Returns: The problems; none for a sound database.
    /// - Throws: `corrupt` and others where the check itself fails.
    public func quickCheck(problemLimit: Int = 10) throws(SQLiteError) -> [String] {
        let answers = try all("PRAGMA quick_check(\(max(problemLimit, 1)))") { $0.text(0) }
        return answers == ["ok"] ? [] : answers
    }
}

extension SQLiteConnection.CheckpointMode {
    var number: Int32 {
        switch self {
        case .passive: SQLITE_CHECKPOINT_PASSIVE
        case .restart: SQLITE_CHECKPOINT_RESTART
        case .truncate: SQLITE_CHECKPOINT_TRUNCATE
        }
    }
}
