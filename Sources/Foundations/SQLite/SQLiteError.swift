internal import CalotypeCSQLite

/// An operation that SQLite refused, and why.
public struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A result code without the details of its extended form.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// SQLite's number for it.
        public let rawValue: Int32

        /// Creates a code from SQLite's number.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// The statement is wrong.
        public static let error = Code(rawValue: SQLITE_ERROR)
        /// Another connection holds the lock.
        public static let busy = Code(rawValue: SQLITE_BUSY)
        /// Another statement of the same connection holds the table.
        public static let locked = Code(rawValue: SQLITE_LOCKED)
        /// Out of memory.
        public static let noMemory = Code(rawValue: SQLITE_NOMEM)
        /// The connection, or the file, is read-only.
        public static let readOnly = Code(rawValue: SQLITE_READONLY)
        /// The disk could not read or write.
        public static let ioError = Code(rawValue: SQLITE_IOERR)
        /// The database is damaged.
        public static let corrupt = Code(rawValue: SQLITE_CORRUPT)
        /// The disk, or the database, is full.
        public static let full = Code(rawValue: SQLITE_FULL)
        /// The file cannot be opened.
        public static let cannotOpen = Code(rawValue: SQLITE_CANTOPEN)
        /// A constraint forbids the change.
        public static let constraint = Code(rawValue: SQLITE_CONSTRAINT)
        /// A value is too large.
        public static let tooLarge = Code(rawValue: SQLITE_TOOBIG)
        /// A value has the wrong type.
        public static let mismatch = Code(rawValue: SQLITE_MISMATCH)
        /// The library was used incorrectly: a closed connection, or the wrong number of values.
        public static let misuse = Code(rawValue: SQLITE_MISUSE)
        /// No parameter has this number.
        public static let range = Code(rawValue: SQLITE_RANGE)
        /// The file is not a database.
        public static let notADatabase = Code(rawValue: SQLITE_NOTADB)
    }

    /// The kind of failure.
    public let code: Code
    /// The code with its details, such as 2067 for a violated UNIQUE.
    public let extendedCode: Int32
    /// The `errno` of the system call that failed; 0 if none did.
    public let systemCode: Int32
    /// What happened, in SQLite's words.
    public let message: String
    /// The statement that failed, without the values bound to it.
    public let sql: String?

    /// Creates an error; `extendedCode` holds the code.
    public init(extendedCode: Int32, systemCode: Int32 = 0, message: String, sql: String? = nil) {
        code = Code(rawValue: extendedCode & 0xff)
        self.extendedCode = extendedCode
        self.systemCode = systemCode
        self.message = message
        self.sql = sql
    }

    /// The message, the code and the statement on one line.
    public var description: String {
        "SQLite: \(message) (code \(extendedCode))" + (sql.map { " in \($0)" } ?? "")
    }
}

extension SQLiteError {
    /// Reads the error of the latest failed call on `database`.
    static func latest(_ status: Int32, _ database: OpaquePointer?, sql: String? = nil) -> SQLiteError {
        guard let database = unsafe database else { return SQLiteError(status, sql: sql) }
        let extended = unsafe sqlite3_extended_errcode(database)
        // A connection in a strange state reports an older call; then only the status is right.
        guard extended & 0xff == status & 0xff else { return SQLiteError(status, sql: sql) }
        return unsafe SQLiteError(
            extendedCode: extended,
            systemCode: sqlite3_system_errno(database),
            message: String(cString: sqlite3_errmsg(database)),
            sql: sql
        )
    }

    /// Creates an error of which only the status is known.
    init(_ status: Int32, sql: String? = nil) {
        unsafe self.init(extendedCode: status, message: String(cString: sqlite3_errstr(status)), sql: sql)
    }

    static func misuse(_ message: String, sql: String? = nil) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_MISUSE, message: message, sql: sql)
    }
}
