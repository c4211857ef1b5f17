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
            rows.append(row.indices.map { row[$0] })
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
        let channels = model.channels
        var rgba: [UInt8] = []
        rgba.reserveCapacity(size.pixelCount * 4)
        for row in rows {
            for x in stride(from: 0, to: row.count, by: channels) {
                let alpha = model.hasAlpha ? row[x + channels - 1] : 255
                rgba +=
                    channels < 3 ? [row[x], row[x], row[x], alpha] : [row[x], row[x + 1], row[x + 2], alpha]
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
