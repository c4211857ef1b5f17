import CalotypeCore

/// A PNG that can be decoded row by row: 1 to 8 bits per channel, neither interlaced nor animated.
struct PNGSource: FastSource {
    let source: EncodedSource
    let pixels: PNGPixels
    let profile: [UInt8]
    /// Where the first chunk of picture data begins.
    let dataOffset: Int

    var model: SampleLayout.Model { pixels.model }
    var scales: [Int] { [8] }

    /// Takes the PNG in `source`, or returns why it is left to libvips.
    ///
    /// - Throws: `file_not_readable`, `truncated_image`.
    static func verdict(
        _ source: EncodedSource,
        _ facts: ImageFacts
    ) throws(CalotypeError) -> FastVerdict<any FastSource> {
        guard facts.frames == 1 else { return .left(reason: "animated") }
        var reader = source.reader()
        do throws(CodecError) {
            let chunks = try PNGChunks(&reader)
            return .taken(
                PNGSource(
                    source: source,
                    pixels: chunks.pixels,
                    profile: chunks.profile,
                    dataOffset: chunks.dataOffset
                )
            )
        } catch {
            return try FastVerdict(error)
        }
    }

    func decoderBytes(scale: Int) -> Int {
        PNGReader.bytes(pixels)
    }

    func decoder(
        scale: Int,
        acceptsTruncated: Bool,
        isCancelled: @escaping () -> Bool
    ) throws -> any RowDecoder {
        try PNGDecoder(pixels, of: source, at: dataOffset, acceptsTruncated: acceptsTruncated)
    }
}

/// Decodes a PNG row by row, and holds only a few rows.
final class PNGDecoder: RowDecoder {
    let layout: SampleLayout
    private(set) var isPartial = false

    private let reader: PNGReader
    private let acceptsTruncated: Bool
    private var data: PNGData
    private var rowsLeft: Int
    /// Whether the compressed data has ended.
    private var isEnded = false

    /// The bytes of missing rows to return at a time.
    private static let missingBytes = 128 << 10

    /// Starts decoding `pixels`, whose data begins with the chunk at `offset` of `source`.
    ///
    /// - Throws: `corrupt_image`.
    init(
        _ pixels: PNGPixels,
        of source: EncodedSource,
        at offset: Int,
        acceptsTruncated: Bool
    ) throws(CalotypeError) {
        layout = .interleaved(pixels.model, pixels.size)
        reader = try PNGReader(pixels)
        data = PNGData(source, at: offset)
        rowsLeft = pixels.size.height
        self.acceptsTruncated = acceptsTruncated
    }

    func next(_ body: (_ plane: Int, _ row: Span<UInt8>) throws -> Void) throws -> Bool {
        guard !isPartial else { return try giveMissing(body) }
        do {
            try fill()
            try giveRows(body)
            if rowsLeft == 0 { try data.finish() }
        } catch let error as CodecError {
            try stop(at: error)
            try giveRows(body)
            isPartial = rowsLeft > 0
        }
        return rowsLeft > 0
    }

    /// Returns the rows that have arrived.
    private func giveRows(_ body: (Int, Span<UInt8>) throws -> Void) throws {
        while rowsLeft > 0, try reader.row({ try body(0, $0) }) { rowsLeft -= 1 }
    }

    /// Inflates the next rows.
    private func fill() throws(CodecError) {
        guard !isEnded else { throw .corrupt("it has fewer rows than its header says") }
        // The reader may hold rows even though it has used up all bytes.
        var fill = fill(from: &data)
        while fill == .hungry {
            try data.read()
            fill = self.fill(from: &data)
        }
        isEnded = fill == .ended
        if fill == .damaged { throw .corrupt("its compressed data is invalid") }
    }

    private func fill(from data: inout PNGData) -> PNGReader.Fill {
        var fill = PNGReader.Fill.hungry
        data.use { bytes in
            var used = 0
            fill = reader.fill(bytes, used: &used)
            return used
        }
        return fill
    }

    /// Turns the end of the data into the error that callers see, unless a partial picture is accepted.
    private func stop(at error: CodecError) throws(CalotypeError) {
        switch error {
        case .outOfBytes where acceptsTruncated: break
        case .outOfBytes: throw .cut("PNG", "rows are missing")
        case .system: throw ImageProbe.error(error)
        default: throw .damaged("PNG", error.description)
        }
    }

    /// Fills in rows that are missing: transparent, or grey as in a truncated JPEG.
    private func giveMissing(_ body: (Int, Span<UInt8>) throws -> Void) throws -> Bool {
        let row = [UInt8](repeating: layout.model.hasAlpha ? 0 : 128, count: layout.planes[0].rowBytes)
        for _ in 0..<min(rowsLeft, max(1, Self.missingBytes / row.count)) {
            try body(0, row.span)
            rowsLeft -= 1
        }
        return rowsLeft > 0
    }
}
