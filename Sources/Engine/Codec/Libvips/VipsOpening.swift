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
        if let image = try source.simplePicture(killSwitch).map(VipsImage.copy) { return try body(image) }
        let encoded = source.encoded
        switch format {
        case .ico:
            let bytes = try encoded.bytes()
            var reader = ByteReader(bytes)
            let content = try ICOHeader(&reader).largest.content.clamped(to: 0..<bytes.count)
            return try VipsImage.load(.memory(Array(bytes[content])), options: options, body)
        case .custom:
            let bitmap = try source.decoder.bitmap(of: source, isCancelled: { killSwitch.isPulled })
            return try body(.copy(of: bitmap))
        case .svg:
            let drawing = try SVGCleaner.drawing(encoded.bytes(), size: drawnSize)
            return try VipsImage.load(.memory(drawing), options: options, body)
        default: return try VipsImage.load(encoded, options: options, body)
        }
    }
}
