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

    /// Opens the journal at `path`, and creates it where there is none.
    ///
    /// One of an earlier version is brought to this one; programs of that version then refuse it.
    ///
    /// - Throws: `SQLiteError`; `storage_failed` for a journal of a later version.
    static func open(_ path: String) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, busyTimeout: .seconds(10))
        try connection.setPragma("journal_mode", to: "WAL")
        // What was written before an act must be there after a power cut, too.
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
                "the journal \(path) is of version \(found), and this program knows version \(version); use the newer program, "
                    + "or another folder",
                stage: .store
            )
        }
        return connection
    }

    /// Brings a journal of version 1 to version 2: there posts were known by the paths of their files.
    ///
    /// Of their fields only the text is in the journal, and so that, the media and the destination are all that they are known by.
    ///
    /// - Returns: The error that a digest failed with, if one did; what is changed then may stay, as it is changed again.
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
