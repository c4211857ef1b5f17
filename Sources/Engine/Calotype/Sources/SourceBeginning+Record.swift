import CalotypeCore
import CalotypeHTTP
import CalotypeStore

extension SourceBeginning {
    private static let layout: UInt8 = 2

    /// What is stored with the bytes.
    var record: [UInt8] {
        var writer = RecordWriter(version: Self.layout)
        version.write(to: &writer)
        writer.add(optional: point.total) { $0.add($1.bytes) }
        return writer.bytes
    }

    /// The beginning of `count` bytes that is kept under `name` with this record.
    ///
    /// - Throws: `RecordReader.Damage` where it is no record, or nothing to go on from.
    init(record: [UInt8], count: ByteCount, keptAs name: StoreKey) throws(RecordReader.Damage) {
        var reader = try RecordReader(record, version: Self.layout)
        version = try SourceVersion(&reader)
        let total = try reader.optional { reader throws(RecordReader.Damage) in
            ByteCount(try reader.number())
        }
        try reader.finish()
        let point = ResumePoint(count: count, total: total, validators: version.response.validators)
        guard let point else { throw RecordReader.Damage() }
        self.point = point
        place = .kept(name)
    }
}
