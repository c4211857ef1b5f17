import CalotypeCore

@testable import CalotypeCodec

/// What the fast path makes of a PNG.
struct PNGRows: Equatable {
    var model: SampleLayout.Model
    var size: PixelSize
    var rows: [[UInt8]]
    var isPartial = false

    /// Decodes `input` by ``PNGDecoder``; `nil` where it is left to libvips.
    init?(_ input: CodecInput, acceptsTruncated: Bool = false) throws {
        let source = try EncodedSource(input)
        let facts = try ImageProbe.facts(of: source)
        guard case .taken(let taken) = try PNGSource.verdict(source, facts) else { return nil }
        let decoder = try taken.decoder(scale: 8, acceptsTruncated: acceptsTruncated) { false }
        var rows: [[UInt8]] = []
        func take(_ plane: Int, _ row: Span<UInt8>) {
            rows.append(unsafe row.withUnsafeBufferPointer { unsafe Array($0) })
        }
        while try decoder.next(take) {}
        model = taken.model
        size = facts.storedSize
        self.rows = rows
        isPartial = decoder.isPartial
    }

    init?(_ png: [UInt8], acceptsTruncated: Bool = false) throws {
        try self.init(.bytes(png), acceptsTruncated: acceptsTruncated)
    }

    init(_ model: SampleLayout.Model, _ size: PixelSize, _ rows: [[UInt8]]) {
        (self.model, self.size, self.rows) = (model, size, rows)
    }

    /// The pixels as libvips gives them.
    var bitmap: Bitmap {
        let (channels, colours) = (model.channels, model.channels < 3 ? [0, 0, 0] : [0, 1, 2])
        // In place: an array for each pixel takes long where the compiler does not optimise.
        var rgba = [UInt8](repeating: 255, count: size.pixelCount * 4)
        var pixel = 0
        for row in rows {
            for x in stride(from: 0, to: row.count, by: channels) {
                rgba[pixel] = row[x + colours[0]]
                rgba[pixel + 1] = row[x + colours[1]]
                rgba[pixel + 2] = row[x + colours[2]]
                if model.hasAlpha { rgba[pixel + 3] = row[x + channels - 1] }
                pixel += 4
            }
        }
        return Bitmap(size: size, rgba: rgba)
    }

    /// The rows encoded by ``PNGEncoder``.
    func encoded(_ effort: Effort = .balanced) throws -> [UInt8] {
        let encoder = PNGEncoder(size, source: model, effort: effort)
        for row in rows { try encoder.write(row.span) }
        return try encoder.finish()
    }
}

extension ImageProbe {
    /// The facts as far as a cut file tells them.
    fileprivate static func facts(of source: EncodedSource) throws -> ImageFacts {
        var reader = source.reader()
        guard let facts = try facts(&reader, isComplete: true) else { throw error(.outOfBytes) }
        return facts
    }
}
