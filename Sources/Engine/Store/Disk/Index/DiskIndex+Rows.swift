internal import CalotypeDigests
internal import CalotypeSQLite

/// An entry in the index, without its value.
struct IndexRow: Sendable {
    let id: Int64
    let key: Digest
    let segment: QueueSegment
    let size: Int
    /// Part of the value file's name; higher for a later value of the same key.
    let generation: Int64
    /// Whether the index itself contains the value.
    let isInline: Bool

    /// The columns that ``init(_:)`` reads.
    static let columns = "id, key, segment, size, generation, bytes IS NOT NULL"

    init(_ row: borrowing SQLiteRow) {
        id = row.integer(0)
        key = Digest(bytes: row.blob(1))
        segment = QueueSegment(rawValue: row.int(2)) ?? .small
        // A flipped bit must not lead to numbers that overflow.
        size = min(max(row.int(3), 0), 1 << 40)
        generation = row.integer(4)
        isInline = row.int(5) != 0
    }

    /// The name of the value file; `nil` if there is none.
    var fileName: String? {
        isInline ? nil : CacheFolder.blobName(key, generation)
    }
}

extension DiskIndex {
    func row(for key: Digest) throws(SQLiteError) -> IndexRow? {
        try connection.first("SELECT \(IndexRow.columns) FROM entry WHERE key = ?", .blob(key.bytes)) {
            IndexRow($0)
        }
    }

    /// The first `limit` rows whose keys are in `range`.
    func rows(in range: (least: Digest, greatest: Digest), limit: Int) throws(SQLiteError) -> [IndexRow] {
        let sql = "SELECT \(IndexRow.columns) FROM entry WHERE key BETWEEN ? AND ? LIMIT ?"
        return try connection.all(sql, .blob(range.least.bytes), .blob(range.greatest.bytes), .int(limit)) {
            IndexRow($0)
        }
    }

    func insert(_ draft: Draft) throws(SQLiteError) {
        let crc = RowChecksum.of(draft.key, draft.metadata, draft.bytes)
        try connection.run(
            """
            INSERT INTO entry(key, segment, seq, size, generation, created, crc, metadata, bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .blob(draft.key.bytes),
            .int(draft.segment.rawValue),
            .integer(nextSequence()),
            .int(draft.size),
            .integer(draft.generation),
            .integer(draft.createdMilliseconds),
            .integer(Int64(crc)),
            .blob(draft.metadata),
            .blob(draft.bytes)
        )
        add(draft.segment, count: 1, bytes: draft.size)
    }

    /// Deletes the row; the caller removes its file.
    func delete(_ row: IndexRow) throws(SQLiteError) {
        try connection.run("DELETE FROM entry WHERE id = ?", .integer(row.id))
        add(row.segment, count: -1, bytes: -row.size)
    }

    /// Deletes all rows; the caller removes the files.
    func deleteAll() throws(SQLiteError) {
        try connection.run("DELETE FROM entry")
        clearTotals()
    }

    /// Replaces the metadata of the entry, if there is one.
    func setMetadata(_ metadata: [UInt8], for key: Digest) throws(SQLiteError) {
        let sql = "SELECT \(IndexRow.columns), length(metadata), bytes FROM entry WHERE key = ?"
        let found = try connection.first(sql, .blob(key.bytes)) { row in
            (IndexRow(row), row.int(6), row.isNull(7) ? nil : row.blob(7))
        }
        guard let (row, oldLength, bytes) = found else { return }
        let growth = row.isInline ? metadata.count - oldLength : 0
        try connection.run(
            "UPDATE entry SET metadata = ?, crc = ?, size = ? WHERE id = ?",
            .blob(metadata),
            .integer(Int64(RowChecksum.of(key, metadata, bytes))),
            .int(row.size + growth),
            .integer(row.id)
        )
        add(row.segment, count: 0, bytes: growth)
    }
}

/// The checksum of a row's contents, which finds a flipped bit in the index as in a value file.
enum RowChecksum {
    static func of(_ key: Digest, _ metadata: [UInt8], _ bytes: [UInt8]?) -> UInt32 {
        var checksum = CRC32C()
        var head = key.bytes
        // Includes the length, so that no byte can move from the metadata to the value.
        head.append(littleEndian: UInt32(truncatingIfNeeded: metadata.count))
        checksum.update(head)
        checksum.update(metadata)
        if let bytes { checksum.update(bytes) }
        return checksum.value
    }
}
