package import CalotypeCore

extension OpenedSource {
    /// Decodes a picture without a library; `nil` if its format needs one.
    ///
    /// - Throws: `CodecError`; `file_not_readable`.
    func simplePicture(_ killSwitch: KillSwitch) throws -> SimplePicture? {
        switch facts.format {
        case .bmp: return try BMPDecoder(encoded.bytes()).picture(!isCut, killSwitch)
        case .pnm:
            var decoder = try PNMDecoder(encoded.bytes())
            return try decoder.picture(!isCut, killSwitch)
        case .tga:
            var decoder = try TGADecoder(encoded.reader())
            return try decoder.picture(!isCut, killSwitch)
        case .psd:
            var decoder = try PSDDecoder(encoded.reader())
            return try decoder.picture(killSwitch)
        case .ico:
            let bytes = try encoded.bytes()
            var reader = ByteReader(bytes)
            let entry = try ICOHeader(&reader).largest
            guard !entry.isPNG else { return nil }
            return try BMPDecoder(bytes, icon: entry.content.lowerBound).icon(killSwitch)
        default: return nil
        }
    }
}

extension ImageProbe {
    /// Reads all of a file that this module reads without a library.
    ///
    /// That is the header and what follows it, the pixels of simple formats, the frames of an animated PNG, and the
    /// elements of a drawing.
    ///
    /// - Returns: The samples, or what a library would be given.
    /// - Throws: `unsupported_format`, `corrupt_image`, `truncated_image`, `too_many_pixels`.
    package static func everything(in bytes: [UInt8], limits: ImageLimits) throws -> [UInt8] {
        let source = try EncodedSource.memory(bytes).opened()
        try limits.check(source.facts)
        do {
            switch source.facts.format {
            case .svg: return try SVGCleaner.drawing(bytes, size: source.facts.storedSize)
            case .png where (source.facts.frames ?? 1) > 1:
                let animation = try AnimatedPNG(bytes)
                return animation.frames.flatMap(animation.file)
            default: return try source.simplePicture(KillSwitch(limit: limits.decodeTime))?.samples ?? []
            }
        } catch let error as CodecError {
            throw Self.error(error)
        }
    }
}
