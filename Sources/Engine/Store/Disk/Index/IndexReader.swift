internal import CalotypeCore
internal import CalotypeDigests
import CalotypeFiles
internal import CalotypeSQLite
internal import TaskFlow

/// Looks values up, over its own connection.
final class IndexReader {
    /// The result of a look-up.
    enum Outcome: Sendable {
        case hit(StoredEntry)
        case absent
        /// There is an entry, but it is damaged.
        case damaged(Suspicion)
        /// The value cannot be read now; it may be good.
        case unreadable(SystemError)

        /// The entry, if there is a good one; `metadata`, if given, replaces the entry's own.
        func entry(with metadata: [UInt8]?) -> StoredEntry? {
            guard case .hit(let entry) = self else { return nil }
            return StoredEntry(metadata: metadata ?? entry.metadata, bytes: entry.bytes)
        }
    }

    private struct Row: Sendable {
        let generation: Int64
        let crc: UInt32
        let metadata: [UInt8]
        let bytes: [UInt8]?
    }

    private let connection: SQLiteConnection
    private let folder: CacheFolder
    private let limit: ByteCount

    /// Opens the index in `folder`; values above `limit` count as damaged.
    init(_ folder: CacheFolder, limit: ByteCount) throws(SQLiteError) {
        connection = try IndexSchema.openForReading(folder.indexPath)
        self.folder = folder
        self.limit = limit
    }

    /// Looks up the value of `key`, and verifies it.
    func lookUp(_ key: Digest) throws(SQLiteError) -> Outcome {
        var missing: Int64?
        // The writer may replace or remove the entry between reading the row and reading the file.
        while true {
            guard let row = try row(key) else { return .absent }
            if let missing, missing != row.generation { sometimes("replaced between row and file") }
            guard RowChecksum.of(key, row.metadata, row.bytes) == row.crc else {
                return .damaged(Suspicion(key: key, generation: row.generation, reason: "damaged row"))
            }
            if let bytes = row.bytes { return .hit(StoredEntry(metadata: row.metadata, bytes: bytes)) }
            TaskSchedule.pause("between row and file")
            if let outcome = readFile(key, row) { return outcome }
            if missing == row.generation {
                return .damaged(Suspicion(key: key, generation: row.generation, reason: "missing file"))
            }
            missing = row.generation
        }
    }

    /// The keys of up to `limit` entries after the entry `id`, and the last one's number; `nil` at the end.
    func keys(after id: Int64, limit: Int) throws(SQLiteError) -> (keys: [Digest], last: Int64)? {
        let sql = "SELECT id, key FROM entry WHERE id > ? ORDER BY id LIMIT ?"
        let found = try connection.all(sql, .integer(id), .int(limit)) { row in
            (row.integer(0), Digest(bytes: row.blob(1)))
        }
        return found.last.map { last in (found.map(\.1), last.0) }
    }

    /// Checks the structure of the index, and returns its problems; none for a sound one.
    func check() throws(SQLiteError) -> [String] {
        try connection.quickCheck(problemLimit: 1)
    }

    /// The number and the bytes of all entries.
    func totals() throws(SQLiteError) -> DiskIndex.Total {
        try connection.first("SELECT sum(count), sum(bytes) FROM total") { row in
            DiskIndex.Total(count: row.int(0), bytes: row.int(1))
        } ?? DiskIndex.Total()
    }

    private func row(_ key: Digest) throws(SQLiteError) -> Row? {
        let sql = "SELECT generation, crc, metadata, bytes FROM entry WHERE key = ?"
        return try connection.first(sql, .blob(key.bytes)) { row in
            Row(
                generation: row.integer(0),
                crc: UInt32(truncatingIfNeeded: row.integer(1)),
                metadata: row.blob(2),
                bytes: row.isNull(3) ? nil : row.blob(3)
            )
        }
    }

    /// Reads the value file; `nil` if it does not exist.
    private func readFile(_ key: Digest, _ row: Row) -> Outcome? {
        do throws(BlobError) {
            let name = CacheFolder.blobName(key, row.generation)
            let entry = try BlobFile.read(name, in: folder.root, key: key, limit: limit)
            // The metadata may have been replaced since the file was written.
            return entry.map { .hit(StoredEntry(metadata: row.metadata, bytes: $0.bytes)) }
        } catch {
            switch error {
            case .system(let error): return .unreadable(error)
            case .damaged(let damage):
                return .damaged(Suspicion(key: key, generation: row.generation, reason: damage.rawValue))
            }
        }
    }
}

/// An entry that a reader found to be damaged, for the writer to remove.
struct Suspicion: Hashable, Sendable {
    let key: Digest
    let generation: Int64
    let reason: String
}
