import CalotypeCore
import CalotypeFiles

/// What is recorded of one entry of the list, besides its picture.
struct Sample: Hashable, Sendable {
    /// The words of img2dataset.
    enum Status: String, CaseIterable, Sendable {
        case success
        case failedToDownload = "failed_to_download"
        case failedToResize = "failed_to_resize"
    }

    /// The entry's position in the list.
    let index: Int
    /// The URL as given.
    let url: String
    /// The columns to keep, in the order of the schema.
    let fields: [ListField]
    var status = Status.success
    /// The error code of a failure.
    var code: ErrorCode?
    /// The error message of a failure.
    var message: String?
    /// The size of the picture that was stored.
    var size: PixelSize?
    /// The size of the source.
    var originalSize: PixelSize?
    /// The EXIF fields of the source as a JSON object.
    var exif: String?
    /// The hash of the source's bytes.
    var hash: String?
    /// The pictures in other sizes that were stored, whose bytes follow those of the picture.
    var others: [OtherPicture] = []
    /// The perceptual hash of the picture.
    var perceptualHash: UInt64?
    /// The key of a picture in the shard that is almost equal; not recorded in a journal.
    var nearDuplicate: String?

    /// A picture in another size.
    struct OtherPicture: Hashable, Sendable {
        let size: PixelSize
        let bytes: Int
    }

    init(_ item: ListItem) {
        index = item.index
        url = item.url
        fields = item.fields
    }

    /// Returns the sample of an entry that failed.
    func failed(_ error: CalotypeError) -> Sample {
        var sample = self
        let isPicture = [.probe, .decode, .encode].contains(error.stage)
        sample.status = isPicture ? .failedToResize : .failedToDownload
        sample.code = error.code
        sample.message = error.message
        sample.size = nil
        sample.others = []
        return sample
    }

    /// Returns the pictures that `bytes` consist of, the one in the first size first.
    func pictures(in bytes: [UInt8]) -> [[UInt8]] {
        var (start, pictures) = (bytes.count - others.reduce(0) { $0 + $1.bytes }, [[UInt8]]())
        guard start >= 0, !others.isEmpty else { return [bytes] }
        pictures.append(Array(bytes[..<start]))
        for other in others {
            pictures.append(Array(bytes[start..<start + other.bytes]))
            start += other.bytes
        }
        return pictures
    }
}

/// The record of a sample in a journal.
extension Sample {
    private static let version: UInt8 = 2

    var record: [UInt8] {
        var writer = RecordWriter(version: Self.version)
        writer.add(index)
        writer.add(url)
        writer.add(fields.count)
        for field in fields { Self.add(field, to: &writer) }
        writer.add(status.rawValue)
        writer.add(optional: code) { $0.add($1.rawValue) }
        writer.add(optional: message) { $0.add($1) }
        for size in [size, originalSize] {
            writer.add(optional: size) {
                $0.add($1.width)
                $0.add($1.height)
            }
        }
        writer.add(optional: exif) { $0.add($1) }
        writer.add(optional: hash) { $0.add($1) }
        writer.add(others.count)
        for other in others {
            for number in [other.size.width, other.size.height, other.bytes] { writer.add(number) }
        }
        writer.add(optional: perceptualHash) { $0.add(PerceptualHash.text($1)) }
        return writer.bytes
    }

    init(record: [UInt8]) throws(SystemError) {
        var reader = try RecordReader(record, version: Self.version)
        index = try reader.number()
        url = try reader.text()
        let count = try reader.number(in: 0...record.count)
        var fields: [ListField] = []
        for _ in 0..<count { fields.append(try Self.field(&reader)) }
        self.fields = fields
        guard let status = Status(rawValue: try reader.text()) else { throw .notARecord }
        self.status = status
        code = try reader.optional { reader throws(SystemError) in try reader.text() }
            .map { ErrorCode(rawValue: $0) }
        message = try reader.optional { reader throws(SystemError) in try reader.text() }
        size = try Self.size(&reader)
        originalSize = try Self.size(&reader)
        exif = try reader.optional { reader throws(SystemError) in try reader.text() }
        hash = try reader.optional { reader throws(SystemError) in try reader.text() }
        for _ in 0..<(try reader.number(in: 0...record.count)) {
            let size = PixelSize(width: try reader.number(), height: try reader.number())
            others.append(OtherPicture(size: size, bytes: try reader.number()))
        }
        perceptualHash = try reader.optional { reader throws(SystemError) in try reader.text() }
            .flatMap { UInt64($0, radix: 16) }
        try reader.finish()
    }

    private static func size(_ reader: inout RecordReader) throws(SystemError) -> PixelSize? {
        try reader.optional { reader throws(SystemError) in
            PixelSize(width: try reader.number(), height: try reader.number())
        }
    }

    private static func add(_ field: ListField, to writer: inout RecordWriter) {
        switch field {
        case .null: writer.add(0)
        case .text(let text):
            writer.add(1)
            writer.add(text)
        case .json(let text):
            writer.add(2)
            writer.add(text)
        }
    }

    private static func field(_ reader: inout RecordReader) throws(SystemError) -> ListField {
        switch try reader.number(in: 0...2) {
        case 0: .null
        case 1: .text(try reader.text())
        default: .json(try reader.text())
        }
    }
}
