internal import CalotypeDigests
internal import CalotypeSQLite

/// What the index knows of an entry, its value left out.
struct IndexRow: Sendable {
    let id: Int64
    let key: Digest
    let segment: QueueSegment
    let size: Int
    /// Part of the name of the value file, and higher for a later value of the same key.
    let generation: Int64
    /// Whether the value is in the index itself.
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

    /// The name of the value file; `nil` without one.
    var fileName: String? {
        isInline ? nil : CacheFolder.blobName(key, generation)
    }
}

extension Digest {
    /// What stands for the key where a mistake does no harm: its first eight bytes.
    var tag: UInt64 { bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
