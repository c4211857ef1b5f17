internal import CalotypeCore
internal import SQLiteConnection

/// The tables of the journal.
enum JournalSchema {
    static let version = 1

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
        CREATE INDEX publication_fingerprint ON publication(fingerprint, destination);
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
    /// - Throws: `SQLiteError`; `storage_failed` for a journal of another version.
    static func open(_ path: String) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, busyTimeout: .seconds(10))
        try connection.setPragma("journal_mode", to: "WAL")
        // What was written before an act must be there after a power cut, too.
        try connection.setPragma("synchronous", to: "FULL")
        try connection.setPragma("foreign_keys", to: "ON")
        try connection.setPragma("mmap_size", to: "0")
        let found = try connection.transaction(.immediate) { () throws(SQLiteError) in
            let found = try connection.userVersion()
            guard found == 0 else { return found }
            try connection.execute(script)
            try connection.setUserVersion(version)
            return version
        }
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
}
