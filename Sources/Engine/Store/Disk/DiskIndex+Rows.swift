internal import CalotypeDigests
internal import CalotypeSQLite

extension DiskIndex {
    func row(for key: Digest) throws(SQLiteError) -> IndexRow? {
        try connection.first("SELECT \(IndexRow.columns) FROM entry WHERE key = ?", .blob(key.bytes)) {
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

    /// Deletes the row; its file is the caller's affair.
    func delete(_ row: IndexRow) throws(SQLiteError) {
        try connection.run("DELETE FROM entry WHERE id = ?", .integer(row.id))
        add(row.segment, count: -1, bytes: -row.size)
    }

    /// Deletes all rows; the files are the caller's affair.
    func deleteAll() throws(SQLiteError) {
        try connection.run("DELETE FROM entry")
        clearTotals()
    }

    /// Gives the entry other metadata, if it is there.
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
