import CalotypeCore
import CalotypeHTTP
import CalotypeStore

/// What a store keeps of something that was made of a source: its bytes, and as metadata what the source was and which version.
struct DerivedRecord: Sendable {
    private static let layout: UInt8 = 2

    let bytes: [UInt8]
    let info: SourceInfo
    /// `nil` where the source came from no origin: it has no age.
    let version: SourceVersion?

    init(bytes: [UInt8], info: SourceInfo, version: SourceVersion?) {
        self.bytes = bytes
        self.info = info
        self.version = version
    }

    /// The entry for it.
    var entry: StoredEntry {
        var writer = RecordWriter(version: Self.layout)
        writer.add(info.facts)
        writer.add(info.bytes.bytes)
        writer.add(optional: version) { writer, version in version.write(to: &writer) }
        return StoredEntry(metadata: writer.bytes, bytes: bytes)
    }

    /// The record in `entry`.
    ///
    /// - Throws: `RecordReader.Damage`.
    init(_ entry: StoredEntry) throws(RecordReader.Damage) {
        var reader = try RecordReader(entry.metadata, version: Self.layout)
        info = SourceInfo(facts: try reader.facts(), bytes: ByteCount(try reader.number()))
        version = try reader.optional { reader throws(RecordReader.Damage) in try SourceVersion(&reader) }
        try reader.finish()
        bytes = entry.bytes
    }
}
