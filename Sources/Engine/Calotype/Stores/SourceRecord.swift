import CalotypeCore
import CalotypeStore

/// What a store keeps of a source: its bytes, or that there is none.
enum SourceRecord {
    /// The bytes, and which version they are.
    case bytes([UInt8], SourceVersion)
    /// The origin said that there is nothing (404, 410).
    case absent(SourceVersion)

    private static let layout: UInt8 = 2

    var version: SourceVersion {
        switch self {
        case .bytes(_, let version), .absent(let version): version
        }
    }

    /// The entry for it.
    var entry: StoredEntry {
        var writer = RecordWriter(version: Self.layout)
        let bytes: [UInt8]
        switch self {
        case .bytes(let content, _):
            writer.add(true)
            bytes = content
        case .absent:
            writer.add(false)
            bytes = []
        }
        version.write(to: &writer)
        return StoredEntry(metadata: writer.bytes, bytes: bytes)
    }

    /// The source in `entry`.
    ///
    /// - Throws: `RecordReader.Damage`.
    init(_ entry: StoredEntry) throws(RecordReader.Damage) {
        var reader = try RecordReader(entry.metadata, version: Self.layout)
        let hasBytes = try reader.flag()
        let version = try SourceVersion(&reader)
        try reader.finish()
        self = hasBytes ? .bytes(entry.bytes, version) : .absent(version)
    }
}
