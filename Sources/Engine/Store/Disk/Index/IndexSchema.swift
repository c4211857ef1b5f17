internal import CalotypeCore
internal import CalotypeSQLite

/// The tables of `index.db`, and how they are opened.
enum IndexSchema {
    /// The version of the tables; an index with an older or invalid version is set aside.
    static let version = 1
    /// The versions that belong to a newer Calotype; its index is not touched, and does not count as damaged.
    private static let newerVersions = version + 1...255
    static let pageSize = 16_384
    /// How long a statement waits for another connection.
    static let busyTimeout = Duration.seconds(5)

    private static let tables = """
        CREATE TABLE entry(
            id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, segment INTEGER NOT NULL, seq INTEGER NOT NULL,
            size INTEGER NOT NULL, generation INTEGER NOT NULL, created INTEGER NOT NULL, crc INTEGER NOT NULL,
            metadata BLOB NOT NULL, bytes BLOB);
        CREATE INDEX entry_order ON entry(segment, seq, size);
        CREATE TABLE total(segment INTEGER PRIMARY KEY, count INTEGER NOT NULL, bytes INTEGER NOT NULL);
        INSERT INTO total VALUES (0, 0, 0), (1, 0, 0);
        CREATE TABLE state(id INTEGER PRIMARY KEY, session INTEGER NOT NULL, condition INTEGER NOT NULL);
        INSERT INTO state VALUES (1, 0, 1);
        """

    /// Opens the index for its writer, and creates it if it does not exist.
    ///
    /// - Returns: The connection, and whether the index is new.
    /// - Throws: SQLite's error; for an index of another version ``SQLiteError/otherVersion(_:)`` or
    ///   ``SQLiteError/newerVersion``.
    static func open(
        _ path: String,
        logLimit: ByteCount
    ) throws(SQLiteError) -> (SQLiteConnection, isNew: Bool) {
        let connection = try SQLiteConnection(path: path, busyTimeout: busyTimeout)
        // Comes first, because what follows may change the file.
        try refuseNewer(connection)
        try connection.setPragma("page_size", to: "\(pageSize)")
        try connection.setPragma("auto_vacuum", to: "INCREMENTAL")
        try connection.setPragma("journal_mode", to: "WAL")
        try connection.setPragma("synchronous", to: "NORMAL")
        try connection.setPragma("journal_size_limit", to: "\(logLimit.bytes)")
        try connection.setPragma("wal_autocheckpoint", to: "\(max(logLimit.bytes / 8 / pageSize, 1))")
        try connection.setPragma("cache_size", to: "-8192")
        try configure(connection)
        return (connection, try prepare(connection))
    }

    /// Opens the index for reading.
    static func openForReading(_ path: String) throws(SQLiteError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, .readOnly, busyTimeout: busyTimeout)
        try configure(connection)
        try refuseNewer(connection)
        let version = try connection.userVersion()
        guard version == Self.version else { throw .otherVersion(version) }
        return connection
    }

    private static func refuseNewer(_ connection: SQLiteConnection) throws(SQLiteError) {
        if newerVersions.contains(try connection.userVersion()) { throw .newerVersion }
    }

    private static func configure(_ connection: SQLiteConnection) throws(SQLiteError) {
        // If the file were mapped into memory, a failing disk would end the process with a signal.
        try connection.setPragma("mmap_size", to: "0")
        try connection.setPragma("temp_store", to: "MEMORY")
    }

    private static func prepare(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        try connection.transaction(.immediate) { () throws(SQLiteError) in
            let version = try connection.userVersion()
            guard version != Self.version else { return false }
            let tables = try connection.first("SELECT count(*) FROM sqlite_master") { $0.int(0) } ?? 0
            guard version == 0, tables == 0 else { throw .otherVersion(version) }
            try connection.execute(Self.tables)
            try connection.setUserVersion(Self.version)
            return true
        }
    }
}

extension SQLiteError {
    /// The index has another version.
    static func otherVersion(_ version: Int) -> SQLiteError {
        SQLiteError(extendedCode: Code.error.rawValue, message: "the tables have version \(version)")
    }

    /// The index belongs to a newer Calotype.
    static let newerVersion = SQLiteError(
        extendedCode: Code.cannotOpen.rawValue,
        message: "it was created by a newer version of Calotype, and was not changed"
    )

    /// The log was removed while the index was in use.
    static let logMissing = SQLiteError(extendedCode: Code.corrupt.rawValue, message: "its log is missing")

    /// Whether the index itself is damaged, so that a new one helps; otherwise the disk is at fault, and
    /// waiting helps.
    var meansDamage: Bool {
        switch code {
        case .corrupt, .notADatabase, .error, .mismatch, .constraint, .misuse, .range, .tooLarge: true
        case .ioError: extendedCode == Self.shortRead
        default: false
        }
    }

    /// The code for a file that ends before the requested page.
    private static let shortRead: Int32 = 522
}
