internal import CalotypeCore
internal import CalotypeDigests
internal import CalotypeSQLite

/// The tables of the journal.
enum JournalSchema {
    static let version = 2

    private static let script = """
        CREATE TABLE publication(
          number INTEGER PRIMARY KEY AUTOINCREMENT,
          id TEXT NOT NULL UNIQUE,
          fingerprint TEXT NOT NULL,
          destination TEXT NOT NULL,
          note TEXT,
          text TEXT NOT NULL,
          state TEXT NOT NULL,
          created INTEGER NOT NULL,
          sent INTEGER,
          remembered TEXT,
          result TEXT,
          problem TEXT);
        CREATE INDEX publication_fingerprint ON publication(fingerprint);
        CREATE TABLE item(
          publication INTEGER NOT NULL REFERENCES publication(number) ON DELETE CASCADE,
          position INTEGER NOT NULL,
          name TEXT NOT NULL,
          origin TEXT NOT NULL,
          type TEXT,
          path TEXT,
          size INTEGER,
          modified INTEGER,
          sha256 TEXT,
          md5 TEXT,
          remembered TEXT,
          uploaded TEXT,
          PRIMARY KEY(publication, position)) WITHOUT ROWID;
        """

    /// Opens the journal at `path`, or creates it if there is none.
    ///
    /// A journal of an earlier version is migrated; programs of that version then refuse to open it.
    ///
    /// - Throws: `SQLiteError`; `storage_failed` for a journal of a later version.
    static func open(_ path: String) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, busyTimeout: .seconds(10))
        try connection.setPragma("journal_mode", to: "WAL")
        // Records that precede an action must survive a power failure, too.
        try connection.setPragma("synchronous", to: "FULL")
        try connection.setPragma("foreign_keys", to: "ON")
        try connection.setPragma("mmap_size", to: "0")
        let found = try connection.transaction(.immediate) {
            () throws(SQLiteError) -> Result<Int, DigestError> in
            switch try connection.userVersion() {
            case 0: try connection.execute(script)
            case 1: if let error = try migrate(connection) { return .failure(error) }
            case let found: return .success(found)
            }
            try connection.setUserVersion(version)
            return .success(version)
        }.get()
        guard found == version else {
            throw CalotypeError(
                .storageFailed,
                "the journal \(path) has version \(found), and this program supports version \(version); use a newer program "
                    + "or another folder with --journal",
                stage: .store
            )
        }
        return connection
    }

    /// Migrates a journal of version 1, which identified posts by the paths of their files.
    ///
    /// Of a post's fields, the journal has only the text. These posts are therefore identified by the text,
    /// the media and the destination.
    ///
    /// - Returns: The error of a failed digest, if any. Rows that were already changed may stay, because a
    ///   repeated migration changes them again.
    private static func migrate(_ connection: SQLiteConnection) throws(SQLiteError) -> DigestError? {
        let known = try connection.all("SELECT number, destination, text FROM publication") {
            ($0.integer(0), $0.text(1), $0.text(2))
        }
        for (number, destination, text) in known {
            let origins = try connection.all(
                "SELECT origin FROM item WHERE publication = ? ORDER BY position",
                .integer(number)
            ) { $0.text(0) }
            let fingerprint: String
            do {
                fingerprint = try PostIdentity.earlier(destination, text, origins)
            } catch {
                return error
            }
            try connection.run(
                "UPDATE publication SET fingerprint = ? WHERE number = ?",
                .text(fingerprint),
                .integer(number)
            )
        }
        return nil
    }
}
