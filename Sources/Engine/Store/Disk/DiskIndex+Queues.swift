internal import CalotypeDigests
internal import CalotypeSQLite
internal import TaskFlow

extension DiskIndex: EntryQueueing {
    func bytes(in segment: QueueSegment) -> Int { totals[segment.rawValue].bytes }

    func oldest(in segment: QueueSegment) throws(SQLiteError) -> QueuedEntry? {
        let sql = "SELECT id, key, size FROM entry WHERE segment = ? ORDER BY seq LIMIT 1"
        return try connection.first(sql, .int(segment.rawValue)) { row in
            QueuedEntry(id: row.integer(0), key: Digest(bytes: row.blob(1)).tag, bytes: row.int(2))
        }
    }

    func moveToEndOfMain(_ entry: QueuedEntry) throws(SQLiteError) {
        guard let row = try row(entry.id) else { return }
        try connection.run(
            "UPDATE entry SET segment = ?, seq = ? WHERE id = ?",
            .int(QueueSegment.main.rawValue),
            .integer(nextSequence()),
            .integer(entry.id)
        )
        add(row.segment, count: -1, bytes: -row.size)
        add(.main, count: 1, bytes: row.size)
    }

    /// Removes the value file before the row: if the process ends between the two, too few bytes are there, never too
    /// many.
    func remove(_ entry: QueuedEntry) throws(SQLiteError) {
        guard let row = try row(entry.id) else { return }
        if let name = row.fileName { folder.removeFile(name) }
        TaskSchedule.pause("between the file and the row of an entry that goes")
        try delete(row)
    }

    private func row(_ id: Int64) throws(SQLiteError) -> IndexRow? {
        try connection.first("SELECT \(IndexRow.columns) FROM entry WHERE id = ?", .integer(id)) {
            IndexRow($0)
        }
    }
}
