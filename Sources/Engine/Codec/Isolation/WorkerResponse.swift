import CalotypeCore
import CalotypeFiles

/// A worker's reply: the result for each picture, and the range of its bytes in the shared memory.
enum WorkerResponse {
    /// A picture without its bytes.
    struct Picture: Hashable {
        /// The format of encoded bytes; `nil` for pixels.
        var format: ImageFormat?
        var bytes: Range<Int>
        var size: PixelSize
        var isPartial: Bool
        var decoding: Duration
        var encoding: Duration
    }

    /// No picture could be made.
    case failure(CalotypeError)
    /// The result for each picture, in the order of the job.
    case pictures([Result<Picture, CalotypeError>])

    private static let layout = UInt8(WorkerMessage.version)
    /// The maximum duration of a picture; durations are summed.
    private static let day = 86_400_000_000_000
    /// Longer than any message that a worker sends.
    private static let mostMessage = 4_000
    private static let mostBytes = 1 << 40

    /// The maximum size of the record for `count` pictures.
    static func mostRecord(_ count: Int) -> Int { (count + 1) * (mostMessage + 1_000) }

    /// The reply as bytes.
    var record: [UInt8] {
        var writer = RecordWriter(version: Self.layout)
        switch self {
        case .failure(let error):
            writer.add(false)
            writer.add(Self.shortened(error))
        case .pictures(let pictures):
            writer.add(true)
            writer.add(pictures.count)
            for picture in pictures { Self.add(picture, to: &writer) }
        }
        return writer.bytes
    }

    /// Reads the reply to a job for `count` pictures; the bytes may be anything.
    init(record: [UInt8], count: Int) throws(SystemError) {
        var reader = try RecordReader(record, version: Self.layout)
        if try reader.flag() {
            _ = try reader.number(in: count...count)
            var pictures: [Result<Picture, CalotypeError>] = []
            for _ in 0..<count { pictures.append(try Self.picture(&reader)) }
            self = .pictures(pictures)
        } else {
            self = .failure(try reader.error())
        }
        try reader.finish()
    }

    private static func add(_ picture: Result<Picture, CalotypeError>, to writer: inout RecordWriter) {
        switch picture {
        case .failure(let error):
            writer.add(false)
            writer.add(shortened(error))
        case .success(let picture):
            writer.add(true)
            writer.add(optional: picture.format) { $0.add(choice: $1) }
            writer.add(picture.bytes.lowerBound)
            writer.add(picture.bytes.count)
            writer.add(picture.size)
            writer.add(picture.isPartial)
            writer.add(nanoseconds(picture.decoding))
            writer.add(nanoseconds(picture.encoding))
        }
    }

    private static func picture(
        _ reader: inout RecordReader
    ) throws(SystemError) -> Result<Picture, CalotypeError> {
        guard try reader.flag() else { return .failure(try reader.error()) }
        let format = try reader.optional { reader throws(SystemError) in try reader.choice(ImageFormat.self)
        }
        let start = try reader.number(in: 0...mostBytes)
        let end = start + (try reader.number(in: 0...mostBytes))
        let size = try reader.size()
        let isPartial = try reader.flag()
        let decoding = Duration.nanoseconds(try reader.number(in: 0...day))
        return .success(
            Picture(
                format: format,
                bytes: start..<end,
                size: size,
                isPartial: isPartial,
                decoding: decoding,
                encoding: .nanoseconds(try reader.number(in: 0...day))
            )
        )
    }

    private static func shortened(_ error: CalotypeError) -> CalotypeError {
        var error = error
        if error.message.utf8.count > mostMessage {
            error.message = String(decoding: error.message.utf8.prefix(mostMessage), as: UTF8.self)
        }
        return error
    }

    private static func nanoseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        return min(Int(min(seconds, 86_400)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000), day)
    }
}
