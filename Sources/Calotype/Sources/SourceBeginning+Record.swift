import CalotypeCore
import CalotypeHTTP
import CalotypeStore

extension SourceBeginning {
    private static let layout: UInt8 = 1

    /// The entry for it; reads the file, and blocks while the disk is busy.
    ///
    /// - Throws: `storage_failed`.
    func entry() throws(CalotypeError) -> StoredEntry {
        var writer = RecordWriter(version: Self.layout)
        version.write(to: &writer)
        writer.add(optional: point.total) { $0.add($1.bytes) }
        return StoredEntry(metadata: writer.bytes, bytes: try file.read(point.count.bytes))
    }

    /// The beginning in `entry`, in a new file in `folder`; `nil` where it is none or cannot be continued. Blocks while the
    /// disk is busy.
    init?(_ entry: StoredEntry, spoolFolder folder: String) {
        do {
            var reader = try RecordReader(entry.metadata, version: Self.layout)
            version = try SourceVersion(&reader)
            let total = try reader.optional { reader throws(RecordReader.Damage) in
                ByteCount(try reader.number())
            }
            try reader.finish()
            let validators = version.response.validators
            let count = ByteCount(entry.bytes.count)
            guard let point = ResumePoint(count: count, total: total, validators: validators) else {
                return nil
            }
            self.point = point
            file = try SpoolFile(in: folder)
            try file.append(entry.bytes)
        } catch {
            // Without its beginning the source is loaded from its start.
            return nil
        }
    }
}
