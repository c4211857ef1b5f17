import CalotypeCore

/// Takes the finished rows of a picture from the top, and produces its bytes.
protocol RowEncoder: AnyObject {
    /// What the samples of its rows mean: `grey`, `greyAlpha`, `rgb` or `rgba`.
    ///
    /// It is chosen from the layout that the encoder was created for; a format without alpha takes none.
    var model: SampleLayout.Model { get }

    /// Takes the next row, samples interleaved.
    ///
    /// - Throws: `encode_failed`.
    func write(_ row: Span<UInt8>) throws(CalotypeError)

    /// Returns the bytes after all rows were written.
    ///
    /// - Throws: `encode_failed`.
    func finish() throws(CalotypeError) -> [UInt8]
}

/// The encoders that take finished rows.
enum FastEncoders {
    /// The encoder with `settings` for a picture of `size` with rows of `model`; `nil` for a format that only
    /// libvips encodes.
    ///
    /// - Throws: `encode_failed`.
    static func encoder(
        _ settings: VipsEncoder,
        _ size: PixelSize,
        _ model: SampleLayout.Model,
        _ effort: Effort,
        _ killSwitch: KillSwitch
    ) throws(CalotypeError) -> (any RowEncoder)? {
        switch settings.format {
        case .jpeg:
            try JPEGEncoder(
                size,
                quality: settings.quality,
                source: model,
                isProgressive: settings.options.isProgressive,
                isCancelled: { killSwitch.isPulled }
            )
        case .png: PNGEncoder(size, source: model, effort: effort)
        case .webp:
            try WebPEncoder(
                size,
                model,
                quality: settings.quality,
                isLossless: settings.options.isLossless,
                effort: effort,
                isCancelled: { killSwitch.isPulled }
            )
        case .avif, .gif, .heic, .tiff, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom: nil
        }
    }

    /// Encodes `bitmap`, without its alpha if all of it is opaque.
    ///
    /// - Throws: `encode_failed`, `decoder_unavailable`; `CancellationError`.
    static func encode(
        _ bitmap: Bitmap,
        _ output: OutputFormat,
        _ killSwitch: KillSwitch
    ) throws -> [UInt8] {
        let isOpaque = stride(from: 3, to: bitmap.rgba.count, by: 4).allSatisfy { bitmap.rgba[$0] == 255 }
        let spec = PictureSpec.encoded(RenditionSpec(.none, output))
        let rows = OutputRows(spec, bitmap.size, isOpaque ? .rgb : .rgba, source: .png, killSwitch)
        var opaque: [UInt8] = []
        for y in 0..<bitmap.size.height {
            try killSwitch.check()
            let row = bitmap.rgba.span.extracting(y * bitmap.rowBytes..<(y + 1) * bitmap.rowBytes)
            guard isOpaque else {
                rows.write(row)
                continue
            }
            opaque.removeAll(keepingCapacity: true)
            for i in stride(from: 0, to: row.count, by: 4) { opaque += [row[i], row[i + 1], row[i + 2]] }
            rows.write(opaque.span)
        }
        guard case .encoded(let bytes, _) = try rows.finish() else {
            preconditionFailure("an encoder gave pixels")
        }
        return bytes
    }
}
