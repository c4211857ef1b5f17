import CalotypeCore

/// A still WebP, lossy or lossless, with or without alpha.
///
/// It is decoded at full size: libwebp's own reduction costs more than it saves, since it comes after the
/// decoding.
struct WebPSource: FastSource {
    let profile: [UInt8]
    let model: SampleLayout.Model
    let scales = [8]

    private let source: EncodedSource
    private let size: PixelSize
    private let coding: WebPStructure.Coding
    private var isForAveraging = false

    /// Decides from the chunks before the pixels; `facts` come from the header.
    ///
    /// - Throws: `corrupt_image`, `truncated_image`, `file_not_readable`.
    static func verdict(
        _ source: EncodedSource,
        _ facts: ImageFacts
    ) throws(CalotypeError) -> FastVerdict<any FastSource> {
        var reader = source.reader()
        do throws(CodecError) {
            return .taken(WebPSource(source, facts.storedSize, try WebPStructure(&reader, facts)))
        } catch {
            return try FastVerdict(error)
        }
    }

    private init(_ source: EncodedSource, _ size: PixelSize, _ structure: WebPStructure) {
        self.source = source
        self.size = size
        coding = structure.coding
        profile = structure.profile
        model =
            switch (structure.coding, structure.hasAlpha) {
            case (_, true): .rgba
            // As in the file: converting all of a large picture to RGB costs more than converting the small
            // one.
            case (.lossy, false): .videoYCbCr
            case (.lossless, false): .rgb
            }
    }

    /// The source without the smoothing of block edges, which takes a seventh of the time.
    var forAveraging: any FastSource {
        var source = self
        source.isForAveraging = true
        return source
    }

    func decoderBytes(scale: Int) -> Int {
        let pixels = min(size.pixelCount, 1 << 40)
        // The decoder's working rows, above the rows that it returns.
        let rows = size.width * 128 + 64 << 10
        let held =
            switch (coding, model) {
            // Y, and Cb and Cr of a quarter each.
            case (.lossy, .videoYCbCr): pixels * 3 / 2 + size.width + size.height
            // The result, the alpha plane, and what its lossless decoder holds.
            case (.lossy, _): pixels * (4 + 1 + 4)
            // The result, and what it is made from.
            case (.lossless, _): pixels * (model.channels + 4)
            }
        return held + rows + source.fileBytes
    }

    func decoder(
        scale: Int,
        acceptsTruncated: Bool,
        isCancelled: @escaping () -> Bool
    ) throws -> any RowDecoder {
        try WebPDecoder(
            WebPFeed(source, pixels: size.pixelCount, isLossless: coding == .lossless),
            SampleLayout(model, size),
            isForAveraging: isForAveraging,
            acceptsTruncated: acceptsTruncated
        )
    }
}

extension EncodedSource {
    /// The bytes that must be read into memory to have all of them available.
    fileprivate var fileBytes: Int {
        switch self {
        case .memory: 0
        case .file(let file): file.count
        }
    }
}

extension SampleLayout {
    /// The layout of libwebp's output for a picture of `size`.
    fileprivate init(_ model: Model, _ size: PixelSize) {
        guard model == .videoYCbCr else {
            self = .interleaved(model, size)
            return
        }
        let half = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        let colour = SamplePlane(
            channels: 1,
            size: half,
            width: Double(size.width) / 2,
            height: Double(size.height) / 2
        )
        self.init(model: model, planes: [SamplePlane(channels: 1, size: size), colour, colour])
    }
}

/// The structure of a still WebP (RFC 9649), read from its chunks up to the pixels.
struct WebPStructure {
    /// How the pixels are coded.
    enum Coding {
        /// As `VP8 `, perhaps with an `ALPH` chunk.
        case lossy
        /// As `VP8L`.
        case lossless
    }

    /// How the pixels are coded.
    var coding = Coding.lossy
    /// Whether there is an alpha channel.
    var hasAlpha = false
    /// The embedded ICC profile; empty if there is none.
    var profile: [UInt8] = []

    /// The largest profile that is read.
    static let mostProfileBytes = 4 << 20
    /// The maximum number of chunks before the pixels; no writer puts more than three there.
    private static let mostChunks = 16

    /// Reads the chunks of the file in `reader`, whose header gave `facts`.
    ///
    /// - Throws: ``CodecError/unusual(_:)`` for what is rare, or what libwebp and libvips may read
    ///   differently, among others.
    init(_ reader: inout ByteReader, _ facts: ImageFacts) throws(CodecError) {
        guard facts.frames == 1 else { throw .unusual("animated") }
        hasAlpha = facts.hasAlpha
        var offset = 12
        if try reader.matches("VP8X", at: offset) { offset = try readExtended(&reader, offset) }
        if try reader.matches("VP8 ", at: offset) {
            coding = .lossy
        } else if try reader.matches("VP8L", at: offset) {
            coding = .lossless
        } else {
            throw .unusual("unusual chunks")
        }
        guard try Self.size(&reader, offset + 8, coding) == facts.storedSize else {
            throw .unusual("a frame of another size than the picture")
        }
    }

    /// Reads the chunks from the extended header at `start` to the pixels, and returns the position of the
    /// pixels.
    private mutating func readExtended(_ reader: inout ByteReader, _ start: Int) throws(CodecError) -> Int {
        let flags = try reader.byte(start + 8)
        var hasAlphaChunk = false
        var offset = start
        for _ in 0..<Self.mostChunks {
            let content = offset + 8
            let length = try reader.little(offset + 4, 4)
            switch try reader.code(offset) {
            case "VP8 ", "VP8L":
                let isConsistent = (flags & 0x20 != 0) == !profile.isEmpty && (!hasAlphaChunk || hasAlpha)
                guard isConsistent else { throw .unusual("flags that do not fit the chunks") }
                return offset
            case "ALPH": hasAlphaChunk = true
            case "ICCP":
                guard length <= Self.mostProfileBytes else { throw .unusual("a very large profile") }
                profile = try reader.bytes(content, length)
            case "ANIM", "ANMF": throw .unusual("animated")
            default: break
            }
            offset = content + length + length & 1
        }
        throw .unusual("unusual chunks")
    }

    /// The size of the pixels at `content`.
    private static func size(
        _ reader: inout ByteReader,
        _ content: Int,
        _ coding: Coding
    ) throws(CodecError) -> PixelSize {
        switch coding {
        case .lossy:
            let (width, height) = (try reader.little(content + 6, 2), try reader.little(content + 8, 2))
            return PixelSize(width: width & 0x3FFF, height: height & 0x3FFF)
        case .lossless:
            let bits = try reader.little(content + 1, 4)
            return PixelSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
        }
    }
}
