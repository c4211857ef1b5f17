import CalotypeCore

/// A format with its settings, as libvips's savers name them.
struct VipsEncoder: Hashable {
    let format: ImageFormat
    let quality: Int
    var options = EncodeOptions()

    init(_ format: ImageFormat, quality: Int, options: EncodeOptions = EncodeOptions()) {
        self.format = format
        self.quality = min(max(quality, 1), 100)
        self.options = options
    }

    /// The encoder for `output`; `source` is the format of the picture that it is made from.
    init(_ output: OutputFormat, source: ImageFormat) {
        switch output {
        case .jpeg(let quality): self.init(.jpeg, quality: quality)
        case .png: self.init(.png, quality: 100)
        case .webp(let quality): self.init(.webp, quality: quality)
        case .avif(let quality): self.init(.avif, quality: quality)
        case .original(let quality): self.init(source, quality: quality)
        }
    }

    /// Encodes `image`, which is in memory.
    ///
    /// - Throws: `encode_failed`.
    func encode(_ image: VipsImage) throws(CalotypeError) -> [UInt8] {
        try explaining { () throws(VipsFailure) in
            let opaque = format == .jpeg ? try image.onWhite() : image
            let bytes = try opaque.encoded(suffix)
            return format == .webp ? WebPStripping.stripped(bytes) : bytes
        }
    }

    /// Encodes `bitmap`, until the switch is pulled.
    ///
    /// - Throws: `encode_failed`, `decoder_unavailable`; `CancellationError`.
    func encode(_ bitmap: Bitmap, _ killSwitch: KillSwitch) throws -> [UInt8] {
        try Libvips.start()
        let image = try explaining { () throws(VipsFailure) in try VipsImage.copy(of: bitmap) }
        try killSwitch.guards(image)
        return try encode(image)
    }

    /// Turns a failure of `body` into the error that callers see.
    func explaining<Output>(_ body: () throws(VipsFailure) -> Output) throws(CalotypeError) -> Output {
        do throws(VipsFailure) {
            return try body()
        } catch {
            throw CalotypeError(
                .encodeFailed,
                "the picture could not be encoded as \(format.rawValue.uppercased()): \(error)",
                stage: .encode,
                cause: error
            )
        }
    }

    private var suffix: String {
        let interlace = options.isProgressive ? ",interlace" : ""
        switch format {
        case .jpeg:
            return ".jpg[Q=\(quality),subsample_mode=\(options.subsampling.rawValue)\(interlace),strip]"
        case .png: return ".png[strip\(interlace)\(options.usesPalette ? ",palette" : "")]"
        case .webp: return ".webp[Q=\(quality),strip\(options.isLossless ? ",lossless" : "")]"
        // One call of AV1 encoding cannot be cancelled: less effort than the default of 4 keeps it short.
        case .avif: return ".heif[compression=av1,Q=\(quality),bitdepth=8,effort=2,strip]"
        case .heic: return ".heif[compression=hevc,Q=\(quality),bitdepth=8,strip]"
        case .gif: return ".gif[strip]"
        case .tiff: return ".tif[compression=deflate,predictor=horizontal,strip]"
        }
    }
}
