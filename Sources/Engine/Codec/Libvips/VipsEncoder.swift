import CalotypeCore

/// A format with its settings, as libvips's savers name them.
struct VipsEncoder: Hashable {
    let format: ImageFormat
    var quality: Int
    var options = EncodeOptions()

    init(_ format: ImageFormat, quality: Int, options: EncodeOptions = EncodeOptions()) {
        self.format = format
        self.quality = min(max(quality, 1), 100)
        self.options = options
    }

    /// The encoder for `output`; `source` is the format of the source picture.
    init(_ output: OutputFormat, source: ImageFormat) {
        var options = EncodeOptions()
        switch output {
        case .jpeg(let quality): self.init(.jpeg, quality: quality)
        case .progressiveJPEG(let quality):
            options.isProgressive = true
            self.init(.jpeg, quality: quality, options: options)
        case .png, .png16: self.init(.png, quality: 100)
        case .webp(let quality): self.init(.webp, quality: quality)
        case .losslessWebP:
            options.isLossless = true
            // An effort: libwebp's default of 75 takes three times as long for 0.2 % fewer bytes.
            self.init(.webp, quality: 25, options: options)
        case .avif(let quality): self.init(.avif, quality: quality)
        case .heic(let quality): self.init(.heic, quality: quality)
        case .jxl(let quality): self.init(.jxl, quality: quality)
        case .gif: self.init(.gif, quality: 100)
        case .tiff: self.init(.tiff, quality: 100)
        case .original(let quality): self.init(source, quality: quality)
        case .suited: preconditionFailure("an encoder for a format that was not settled before")
        case .custom: preconditionFailure("libvips is asked for an encoder of the program")
        }
    }

    /// The bytes per pixel that the encoder holds besides the pixels and their encoded bytes.
    ///
    /// Measured with libaom 3.6, x265 3.5 (15) and libjxl 0.7 on a photo of 23 megapixels; for WebP, libwebp's planes.
    var pixelBytes: Int {
        switch format {
        case .avif, .heic: 18
        case .jxl: 40
        case .webp: options.isLossless ? 36 : 8
        case .jpeg, .png, .gif, .tiff, .pnm, .jp2, .bmp, .tga, .psd, .ico, .svg, .custom: 0
        }
    }

    /// Encodes `picture`, and lowers the quality if the result has more bytes than `most`.
    ///
    /// The image must be in memory.
    ///
    /// - Throws: `encode_failed`, `too_many_bytes`.
    func encode(_ picture: VipsDecode.Picture, most: ByteCount? = nil) throws(CalotypeError) -> [UInt8] {
        let found = try QualitySearch.bytes(quality, most: hasQuality ? most : nil) {
            (quality) throws(CalotypeError) in
            try VipsEncoder(format, quality: quality, options: options).encoded(picture)
        }
        guard let found else { throw QualitySearch.unreachable(most) }
        return found
    }

    private func encoded(_ picture: VipsDecode.Picture) throws(CalotypeError) -> [UInt8] {
        guard !format.needsWorker || Libvips.allowsGuardedFormats else {
            throw CalotypeError(
                .encodeFailed,
                "\(format.name) is written only in worker processes, and the isolation is set to none",
                stage: .encode
            )
        }
        return try explaining { () throws(CodecError) in
            let metadata = picture.metadata
            let opaque = format == .jpeg ? try picture.image.on(.white) : picture.image
            switch format {
            case .jpeg, .png: return MetadataWriter.adding(metadata, to: try opaque.encoded(suffix()), format)
            case .webp:
                // libvips 8.14 writes metadata even if it should not.
                let file = try opaque.carrying([:], picture).encoded(suffix())
                return MetadataWriter.adding(metadata, to: WebPStripping.stripped(file) ?? file, format)
            case .avif, .heic, .gif, .tiff, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom:
                // Some savers write values from the source's metadata, such as an orientation, even if they
                // strip it.
                return try opaque.carrying(metadata.named, picture)
                    .encoded(suffix(strips: metadata == .none))
            }
        }
    }

    /// Encodes `bitmap` in the same way, until the switch is pulled.
    ///
    /// - Throws: `encode_failed`, `too_many_bytes`, `decoder_unavailable`; `CancellationError`.
    func encode(
        _ bitmap: Bitmap,
        _ killSwitch: KillSwitch,
        _ metadata: MetadataBlocks = .none,
        most: ByteCount? = nil
    ) throws -> [UInt8] {
        try Libvips.start()
        let image = try explaining { () throws(CodecError) in try VipsImage.copy(of: bitmap) }
        try killSwitch.guards(image)
        return try encode(VipsDecode.Picture(image, metadata), most: most)
    }

    /// Converts a failure of `body` to the error that callers see.
    func explaining<Output>(_ body: () throws(CodecError) -> Output) throws(CalotypeError) -> Output {
        do throws(CodecError) {
            return try body()
        } catch {
            throw CalotypeError(
                .encodeFailed,
                "the image could not be encoded as \(format.name): \(error)",
                stage: .encode,
                cause: error
            )
        }
    }

    private func suffix(strips: Bool = true) -> String {
        let interlace = options.isProgressive ? ",interlace" : ""
        let strip = strips ? ",strip" : ""
        switch format {
        case .jpeg:
            return ".jpg[Q=\(quality),subsample_mode=\(options.subsampling.rawValue)\(interlace)\(strip)]"
        case .png: return ".png[compression=6\(strip)\(interlace)\(options.usesPalette ? ",palette" : "")]"
        case .webp: return ".webp[Q=\(quality)\(strip)\(options.isLossless ? ",lossless" : "")]"
        // An AV1 encoding cannot be cancelled: less effort than the default of 4 keeps it short.
        case .avif: return ".heif[compression=av1,Q=\(quality),bitdepth=8,effort=2\(strip)]"
        case .heic: return ".heif[compression=hevc,Q=\(quality),bitdepth=8\(strip)]"
        case .gif: return ".gif[effort=7\(strip)]"
        case .tiff: return ".tif[compression=deflate,predictor=horizontal\(strip)]"
        case .jp2: return ".jp2[Q=\(quality)\(strip)]"
        // The default effort of 7 takes twice as long and saves no bytes.
        case .jxl: return ".jxl[effort=5,Q=\(quality)\(strip)]"
        // No saver is called for these, so the error says that there is none.
        case .pnm, .bmp, .tga, .psd, .ico, .svg, .custom: return ".\(format.rawValue)"
        }
    }
}

extension VipsImage {
    /// Returns the image with only `metadata`, by libvips's names, and the frames of `picture`.
    fileprivate func carrying(
        _ metadata: [String: [UInt8]],
        _ picture: VipsDecode.Picture
    ) throws(CodecError) -> VipsImage {
        let image = try carrying(metadata)
        if let timing = picture.timing { image.setFrames(height: picture.size.height, timing) }
        return image
    }
}
