internal import CalotypeCSQLite

extension SQLiteConnection {
    /// How much of the log a checkpoint copies back into the database.
    public enum CheckpointMode: Sendable {
        /// As much as possible without waiting for other connections.
        case passive
        /// All of it, after waiting for readers and writers; the log restarts from its beginning.
        case restart
        /// All of it, after waiting for readers and writers; the log is cut to zero bytes.
        case truncate
    }

    /// The result of a checkpoint.
    public struct Checkpoint: Hashable, Sendable {
        /// The number of pages in the log; 0 after a truncation.
        public var logPages: Int
        /// How many of these pages are in the database now.
        public var writtenPages: Int
        /// Whether all of the log is in the database.
        public var isComplete: Bool
    }

    /// Copies the log of a database in WAL mode back into the database file.
    ///
    /// - Throws: `locked` inside a transaction; `full` and `ioError` if the file cannot be written. A
    ///   checkpoint that other connections block is not an error: the result shows it.
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

    /// Returns the application's version number of its schema; 0 in a new database.
    public func userVersion() throws(SQLiteError) -> Int {
        try first("PRAGMA user_version") { $0.int(0) } ?? 0
    }

    /// Sets the version number of the schema, as part of a transaction if one is open.
    public func setUserVersion(_ version: Int) throws(SQLiteError) {
        try execute("PRAGMA user_version = \(Int32(clamping: version))")
    }

    /// Sets a pragma.
    ///
    /// - Parameters:
    ///   - name: The name, such as `journal_mode`; it is part of the statement, so never pass text from
    ///     outside.
    ///   - value: The value as it is written in SQL.
    /// - Returns: The pragma's new value as text; `nil` if it returns nothing.
    /// - Throws: `busy` and others; an unknown pragma is no error.
    @discardableResult
    public func setPragma(_ name: String, to value: String) throws(SQLiteError) -> String? {
        try first("PRAGMA \(name) = \(value)") { $0.text(0) }
    }

    /// Checks the structure of the database, which takes time in proportion to its size.
    ///
    /// - Parameter problemLimit: The maximum number of problems to report.
    /// - Returns: The problems; none for a sound database.
    /// - Throws: `corrupt` and others if the check itself fails.
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
