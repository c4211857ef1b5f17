internal import CalotypeDigests
internal import CalotypeSQLite
internal import TaskFlow

/// Holds the two queues of a disk cache in the order of insertion: rows of a database, or an array in a test.
package protocol EntryQueueing {
    /// The error of the storage; `Never` for an array.
    associatedtype Failure: Error

    /// The bytes of all entries in `segment`; returns immediately.
    func bytes(in segment: QueueSegment) -> Int

    /// The entry at the front of `segment`; `nil` if it is empty.
    mutating func oldest(in segment: QueueSegment) throws(Failure) -> QueuedEntry?

    /// Moves `entry` from its segment to the end of the main one.
    mutating func moveToEndOfMain(_ entry: QueuedEntry) throws(Failure)

    /// Removes `entry` and its value.
    mutating func remove(_ entry: QueuedEntry) throws(Failure)
}

/// One of the two queues that hold the entries of a disk cache, the oldest first.
package enum QueueSegment: Int, CaseIterable, Sendable {
    /// New entries, which wait here for a tenth of the cache's bytes to pass, to show whether they are used
    /// again.
    case small = 0
    /// The entries that were used again.
    case main = 1
}

/// An entry of a disk cache, with what eviction needs to know.
package struct QueuedEntry: Hashable, Sendable {
    /// Identifies the entry in the storage, such as a row's number.
    package let id: Int64
    /// The last eight bytes of its key's digest.
    package let key: UInt64
    /// The size of the entry.
    package let bytes: Int

    /// Creates an entry of `bytes` bytes.
    package init(id: Int64, key: UInt64, bytes: Int) {
        (self.id, self.key, self.bytes) = (id, key, bytes)
    }
}

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

    /// Removes the value file before the row: if the process ends in between, there are too few bytes, never
    /// too many.
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
