import CalotypeCore

/// Searches for the best quality at which a picture has at most a given number of bytes.
enum QualitySearch {
    /// The lowest useful quality; below it the picture is hardly recognisable.
    private static let least = 10
    /// The number of qualities to try below the requested one.
    private static let tries = 5

    /// Returns the picture that `encode` makes at `quality`, or at the best lower one that a few tries find.
    ///
    /// - Returns: Its bytes; `nil` if there are too many even at the lowest quality.
    /// - Throws: What `encode` throws.
    static func bytes<Failure: Error>(
        _ quality: Int,
        most: ByteCount?,
        _ encode: (Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8]? {
        let first = try encode(quality)
        guard let most, first.count > most.bytes else { return first }
        var (low, high) = (min(least, quality), quality)
        var best: [UInt8]?
        for _ in 0..<tries where low < high {
            let middle = (low + high) / 2
            let bytes = try encode(middle)
            if bytes.count <= most.bytes {
                best = bytes
                low = middle + 1
            } else {
                high = middle
            }
        }
        if let best { return best }
        let last = try encode(min(least, quality))
        return last.count <= most.bytes ? last : nil
    }

    /// The error for a picture that exceeds its maximum size at every quality.
    static func unreachable(_ most: ByteCount?) -> CalotypeError {
        CalotypeError(
            .tooManyBytes,
            "the image exceeds \(most?.description ?? "all") even at the lowest quality; request a smaller size",
            stage: .encode
        )
    }
}

extension VipsEncoder {
    /// Whether it produces fewer bytes at lower quality.
    var hasQuality: Bool {
        switch format {
        case .webp: !options.isLossless
        case .jpeg, .avif, .heic, .jp2, .jxl: true
        case .png, .gif, .tiff, .pnm, .bmp, .tga, .psd, .ico, .svg, .custom: false
        }
    }
}

/// Encodes the same rows repeatedly, until there are few enough bytes.
struct QualityOfRows {
    private let settings: VipsEncoder
    private let size: PixelSize
    private let model: SampleLayout.Model
    private let transform: Transform
    private let metadata: MetadataBlocks
    private let killSwitch: KillSwitch

    init(
        _ settings: VipsEncoder,
        _ size: PixelSize,
        _ model: SampleLayout.Model,
        _ transform: Transform,
        _ metadata: MetadataBlocks,
        _ killSwitch: KillSwitch
    ) {
        self.settings = settings
        self.size = size
        self.model = model
        self.transform = transform
        self.metadata = metadata
        self.killSwitch = killSwitch
    }

    /// The format of the result.
    var format: ImageFormat { settings.format }

    /// An encoder for the rows at `quality`; `nil` for a format that only libvips encodes.
    ///
    /// - Throws: `encode_failed`.
    func encoder(_ quality: Int) throws(CalotypeError) -> (any RowEncoder)? {
        var settings = settings
        settings.quality = quality
        return try FastEncoders.encoder(settings, size, model, transform.effort, killSwitch)
    }

    /// Encodes `rows` at the best quality that a few tries find.
    ///
    /// - Throws: `encode_failed`, `too_many_bytes`; `CancellationError`.
    func encoded(_ rows: HeldRows) throws -> [UInt8] {
        let most = transform.edits.mostBytes
        let found = try QualitySearch.bytes(settings.quality, most: most) { quality in
            guard let encoder = try encoder(quality) else {
                preconditionFailure("rows are held for \(format), which libvips encodes")
            }
            try rows.forEachRow { row in
                try killSwitch.check()
                try encoder.write(row)
            }
            return MetadataWriter.adding(metadata, to: try encoder.finish(), format)
        }
        guard let found else { throw QualitySearch.unreachable(most) }
        return found
    }
}

/// Holds the rows of a picture that may have to be encoded more than once.
final class HeldRows {
    private let rowBytes: Int
    private var samples: [UInt8] = []

    /// Prepares for a picture of `size` with rows of `model`.
    init(_ size: PixelSize, _ model: SampleLayout.Model) {
        rowBytes = size.width * model.channels
        samples.reserveCapacity(rowBytes * size.height)
    }

    /// Takes the next row.
    func write(_ row: Span<UInt8>) {
        unsafe row.withUnsafeBufferPointer { unsafe samples.append(contentsOf: $0) }
    }

    /// Passes each row to `body`, from the top.
    func forEachRow<Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
        let samples = samples
        for start in stride(from: 0, to: samples.count, by: rowBytes) {
            let row = samples.span.extracting(start..<start + rowBytes)
            try body(row)
        }
    }
}
