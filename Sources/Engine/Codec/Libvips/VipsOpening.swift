import CalotypeCore

/// The opening of an encoded picture, by libvips's loader or by one of our own decoders.
struct VipsOpening {
    let source: OpenedSource
    /// The loader's options.
    let options: String
    /// The size at which a drawing is drawn.
    let drawnSize: PixelSize
    let killSwitch: KillSwitch

    /// Opens the picture; `body` reads its pixels once from top to bottom.
    ///
    /// - Throws: `CodecError`, the errors of `body`.
    func open<Output>(_ body: (VipsImage) throws -> Output) throws -> Output {
        let format = source.facts.format
        guard !format.needsWorker || Libvips.allowsGuardedFormats else {
            throw CalotypeError(
                .unsupportedFormat,
                "\(format.name) is decoded only in worker processes, and the isolation is set to none",
                stage: .decode
            )
        }
        let encoded = source.encoded
        switch format {
        case .bmp: return try body(.copy(of: BMPDecoder(encoded.bytes()).picture(isStrict, killSwitch)))
        case .pnm:
            var decoder = try PNMDecoder(encoded.bytes())
            return try body(.copy(of: decoder.picture(isStrict, killSwitch)))
        case .tga:
            var decoder = try TGADecoder(encoded.reader())
            return try body(.copy(of: decoder.picture(isStrict, killSwitch)))
        case .psd:
            var decoder = try PSDDecoder(encoded.reader())
            return try body(.copy(of: decoder.picture(killSwitch)))
        case .ico: return try openIcon(body)
        case .custom:
            let bitmap = try source.decoder.bitmap(of: source, isCancelled: { killSwitch.isPulled })
            return try body(.copy(of: bitmap))
        case .svg:
            let drawing = try SVGCleaner.drawing(encoded.bytes(), size: drawnSize)
            return try VipsImage.load(.memory(drawing), options: options, body)
        case .jpeg, .png, .webp, .avif, .heic, .gif, .tiff, .jp2, .jxl:
            return try VipsImage.load(encoded, options: options, body)
        }
    }

    private var isStrict: Bool { !source.isCut }

    /// Opens the largest picture of an icon.
    private func openIcon<Output>(_ body: (VipsImage) throws -> Output) throws -> Output {
        let bytes = try source.encoded.bytes()
        var reader = ByteReader(bytes)
        let entry = try ICOHeader(&reader).largest
        guard entry.isPNG else {
            let decoder = try BMPDecoder(bytes, icon: entry.content.lowerBound)
            return try body(.copy(of: decoder.icon(killSwitch)))
        }
        let content = entry.content.clamped(to: 0..<bytes.count)
        return try VipsImage.load(.memory(Array(bytes[content])), options: options, body)
    }
}
