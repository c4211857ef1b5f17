internal import CalotypeCSQLite

/// A connection to one SQLite database, with the statements that it has compiled.
///
/// It has one owner and is used by one thread at a time; a program opens one for each thread. Every call
/// blocks while the disk is busy or another connection holds the lock, so call it on a dedicated thread. A
/// statement is compiled once, and reset before the call that ran it returns.
@safe
public final class SQLiteConnection {
    /// What a connection may do with its file.
    public enum Access: Sendable {
        case readOnly, readWrite
        /// Reads and writes, and creates the file if it doesn't exist.
        case create
    }

    /// The maximum number of compiled statements to keep; further ones are compiled each time.
    static let statementLimit = 64

    // SAFETY: `nil` after `close`; the class is not Sendable, so one thread at a time uses the pointer.
    private var database: OpaquePointer?
    private var statements: [String: SQLiteStatement] = [:]

    /// Opens the database at `path`.
    ///
    /// SQLite reads the file at the first statement, which fails if the file is not a database.
    ///
    /// - Parameters:
    ///   - path: A file path, never a URI; `:memory:` for a database without a file.
    ///   - access: Whether it may write, and whether it may create the file.
    ///   - busyTimeout: How long a call waits for the lock of another connection; 5 seconds by default.
    /// - Throws: `cannotOpen` and others.
    public init(
        path: String,
        _ access: Access = .create,
        busyTimeout: Duration = .seconds(5)
    ) throws(SQLiteError) {
        var database: OpaquePointer?
        let flags = access.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let status = unsafe sqlite3_open_v2(path, &database, flags, nil)
        guard status == SQLITE_OK else {
            let error = unsafe SQLiteError.latest(status, database)
            unsafe sqlite3_close_v2(database)
            throw error
        }
        unsafe self.database = database
        setBusyTimeout(busyTimeout)
    }

    deinit {
        statements = [:]
        unsafe sqlite3_close_v2(database)
    }

    /// Closes the connection; any later call throws `misuse`, except that a second `close` does nothing.
    ///
    /// The last connection to a database in WAL mode copies the log back into the file and removes it.
    ///
    /// - Throws: `busy` while the connection is still in use; then it stays open.
    public func close() throws(SQLiteError) {
        statements = [:]
        try unsafe check(sqlite3_close(database))
        unsafe database = nil
    }

    /// Closes the connection and leaves all files as they are.
    ///
    /// For a database that is damaged, moved or removed. `close()` would first copy the log back into the
    /// file.
    public func abandon() {
        guard let database = unsafe database else { return }
        statements = [:]
        _ = unsafe calotype_sqlite3_keep_log(database)
        unsafe sqlite3_close_v2(database)
        unsafe self.database = nil
    }

    // MARK: Statements

    /// Runs one statement and ignores its rows.
    ///
    /// - Parameters:
    ///   - sql: One statement, with `?` for each value.
    ///   - values: The values, in order; none is copied.
    /// - Returns: The number of rows that an INSERT, UPDATE or DELETE has changed.
    /// - Throws: SQLite's error; `misuse` for the wrong number of values.
    @discardableResult
    public func run(_ sql: String, _ values: SQLiteValue...) throws(SQLiteError) -> Int {
        try withStatement(sql) { statement throws(SQLiteError) in try statement.run(values) { _ in true } }
        return unsafe Int(sqlite3_changes64(database))
    }

    /// Runs a query and reads its first row.
    ///
    /// - Parameters:
    ///   - sql: One statement, with `?` for each value.
    ///   - values: The values, in order.
    ///   - read: Creates a value from the row.
    /// - Returns: The value from `read`; `nil` if there is no row.
    /// - Throws: SQLite's error; `misuse` for the wrong number of values.
    public func first<Output>(
        _ sql: String,
        _ values: SQLiteValue...,
        read: (borrowing SQLiteRow) -> Output
    ) throws(SQLiteError) -> Output? {
        var output: Output?
        try withStatement(sql) { statement throws(SQLiteError) in
            try statement.run(values) { row in
                output = read(row)
                return false
            }
        }
        return output
    }

    /// Runs a query and reads all its rows; a query that may match many rows needs a `LIMIT`.
    ///
    /// - Parameters:
    ///   - sql: One statement, with `?` for each value.
    ///   - values: The values, in order.
    ///   - read: Creates a value from each row.
    /// - Returns: The values from `read`, in the order of the rows.
    /// - Throws: SQLite's error; `misuse` for the wrong number of values.
    public func all<Output>(
        _ sql: String,
        _ values: SQLiteValue...,
        read: (borrowing SQLiteRow) -> Output
    ) throws(SQLiteError) -> [Output] {
        var outputs: [Output] = []
        try withStatement(sql) { statement throws(SQLiteError) in
            try statement.run(values) { row in
                outputs.append(read(row))
                return true
            }
        }
        return outputs
    }

    /// Runs several statements without values, such as a schema.
    ///
    /// They are not kept compiled.
    public func execute(_ script: String) throws(SQLiteError) {
        guard let database = unsafe database else { throw .closed }
        let status = unsafe sqlite3_exec(database, script, nil, nil, nil)
        guard status == SQLITE_OK else { throw unsafe SQLiteError.latest(status, database, sql: script) }
    }

    // MARK: State

    /// Sets how long a call waits for the lock of another connection.
    public func setBusyTimeout(_ timeout: Duration) {
        unsafe sqlite3_busy_timeout(database, timeout.wholeMilliseconds)
    }

    /// The key of the row that was inserted last.
    public var lastInsertedID: Int64 { unsafe database.map { unsafe sqlite3_last_insert_rowid($0) } ?? 0 }

    /// Whether a transaction is open.
    public var isInTransaction: Bool {
        unsafe database.map { unsafe sqlite3_get_autocommit($0) == 0 } ?? false
    }

    // MARK: Within the module

    /// Lends a compiled statement to `body`.
    ///
    /// Meanwhile the statement is not in the cache, because `body` may run the same SQL again.
    private func withStatement(
        _ sql: String,
        _ body: (SQLiteStatement) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        guard let database = unsafe database else { throw .closed }
        let statement: SQLiteStatement
        if let kept = statements.removeValue(forKey: sql) {
            statement = kept
        } else {
            statement = try unsafe SQLiteStatement(sql, database)
        }
        defer { if statements.count < Self.statementLimit { statements[sql] = statement } }
        try body(statement)
    }

    func check(_ status: Int32) throws(SQLiteError) {
        guard status == SQLITE_OK else { throw unsafe SQLiteError.latest(status, database) }
    }

    /// Calls `body` with the pointer.
    func withDatabase<Output>(
        _ body: (OpaquePointer) throws(SQLiteError) -> Output
    ) throws(SQLiteError) -> Output {
        guard let database = unsafe database else { throw .closed }
        return try unsafe body(database)
    }
}

extension SQLiteConnection.Access {
    var flags: Int32 {
        switch self {
        case .readOnly: SQLITE_OPEN_READONLY
        case .readWrite: SQLITE_OPEN_READWRITE
        case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
    }
}

extension SQLiteError {
    static var closed: SQLiteError { .misuse("the connection is closed") }
}

extension Duration {
    /// The duration rounded down to milliseconds and clamped to 32 bits.
    var wholeMilliseconds: Int32 {
        let parts = components
        let milliseconds = parts.seconds.multipliedReportingOverflow(by: 1000)
        guard !milliseconds.overflow else { return parts.seconds < 0 ? 0 : .max }
        return Int32(clamping: milliseconds.partialValue + parts.attoseconds / 1_000_000_000_000_000)
    }
}

@available(*, unavailable)
extension SQLiteConnection: Sendable {}

extension SQLiteConnection {
    /// When a transaction takes its locks.
    public enum TransactionKind: String, Sendable {
        /// At the first statement, for reading only.
        ///
        /// The step from reading to writing may fail immediately.
        case deferred = "BEGIN DEFERRED"
        /// At its start: for everything that writes.
        case immediate = "BEGIN IMMEDIATE"
        /// At its start, and blocks readers too, unless the database is in WAL mode.
        case exclusive = "BEGIN EXCLUSIVE"
    }

    /// Runs `body` in a transaction, which is committed when it returns and rolled back when it throws.
    ///
    /// Transactions do not nest.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; `busy` if the lock is not available; `full` and `ioError` if the commit
    ///   fails, which leaves nothing of the transaction behind.
    @discardableResult
    public func transaction<Output>(
        _ kind: TransactionKind,
        _ body: () throws(SQLiteError) -> Output
    ) throws(SQLiteError) -> Output {
        try run(kind.rawValue)
        do {
            let output = try body()
            try run("COMMIT")
            return output
        } catch {
            rollBack()
            throw error
        }
    }

    private func rollBack() {
        // A full disk, for example, has already rolled it back.
        guard isInTransaction else { return }
        // Report the error that led here; a rollback fails only if the connection itself is broken.
        _ = try? run("ROLLBACK")
    }
}
