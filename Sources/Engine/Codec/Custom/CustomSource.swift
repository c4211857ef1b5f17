import CalotypeCore

/// A source that a decoder from outside decodes, for the fast path.
struct CustomSource: FastSource {
    let profile: [UInt8] = []
    let scales = [8]

    private let decoder: CustomDecoder
    private let source: OpenedSource

    init(_ decoder: CustomDecoder, _ source: OpenedSource) {
        self.decoder = decoder
        self.source = source
    }

    var model: SampleLayout.Model { source.facts.hasAlpha ? .rgba : .rgb }

    /// The pixels, as much again for the decoder's own work, and the file.
    func decoderBytes(scale: Int) -> Int {
        min(source.facts.storedSize.pixelCount, 1 << 40) * 8 + source.encoded.count
    }

    func decoder(
        scale: Int,
        acceptsTruncated: Bool,
        isCancelled: @escaping () -> Bool
    ) throws -> any RowDecoder {
        BitmapRowDecoder(try decoder.bitmap(of: source, isCancelled: isCancelled), model)
    }
}

/// Returns the rows of a bitmap, with or without its alpha.
private final class BitmapRowDecoder: RowDecoder {
    let layout: SampleLayout
    let isPartial = false

    private let bitmap: Bitmap
    private var next = 0
    /// The rows of one call, so that it takes about a millisecond.
    private let rowsAtATime: Int

    init(_ bitmap: Bitmap, _ model: SampleLayout.Model) {
        self.bitmap = bitmap
        layout = .interleaved(model, bitmap.size)
        rowsAtATime = max(1, (1 << 18) / bitmap.size.width)
    }

    func next(_ body: (_ plane: Int, _ row: Span<UInt8>) throws -> Void) throws -> Bool {
        let end = min(next + rowsAtATime, bitmap.size.height)
        let rgba = bitmap.rgba
        var row = [UInt8](repeating: 0, count: bitmap.size.width * layout.model.channels)
        for y in next..<end {
            let pixels = rgba.span.extracting(y * bitmap.rowBytes..<(y + 1) * bitmap.rowBytes)
            guard !layout.model.hasAlpha else {
                try body(0, pixels)
                continue
            }
            for x in 0..<bitmap.size.width {
                row[3 * x] = pixels[4 * x]
                row[3 * x + 1] = pixels[4 * x + 1]
                row[3 * x + 2] = pixels[4 * x + 2]
            }
            try body(0, row.span)
        }
        next = end
        return end < bitmap.size.height
    }
}
