import CalotypeCore

/// What pixels are encoded as, and by whom.
enum BitmapEncoding: Hashable {
    /// By the fast encoders, or by libvips where they do not know the format.
    case output(OutputFormat)
    /// By libvips.
    case library(ImageFormat, quality: Int, EncodeOptions)

    /// Encodes `bitmap`; transparency is laid on white for JPEG.
    ///
    /// - Throws: `encode_failed`, `decoder_unavailable`; `CancellationError`.
    func encode(_ bitmap: Bitmap, _ killSwitch: KillSwitch) throws -> [UInt8] {
        switch self {
        case .output(let output): try FastEncoders.encode(bitmap, output, killSwitch)
        case .library(let format, let quality, let options):
            try VipsEncoder(format, quality: quality, options: options).encode(bitmap, killSwitch)
        }
    }

    /// The same by libvips.
    var byLibrary: BitmapEncoding {
        guard case .output(let output) = self else { return self }
        let encoder = VipsEncoder(output, source: .png)
        return .library(encoder.format, quality: encoder.quality, encoder.options)
    }

    /// Whether libvips takes part.
    var needsLibrary: Bool {
        switch self {
        case .output(let output): output.needsLibrary(source: .png)
        case .library: true
        }
    }

    /// What the encoded bytes are.
    var format: ImageFormat {
        switch self {
        case .output(let output): VipsEncoder(output, source: .png).format
        case .library(let format, _, _): format
        }
    }
}

extension OutputFormat {
    /// Whether only libvips encodes it; `source` is the format that `.original` stands for.
    func needsLibrary(source: ImageFormat) -> Bool {
        switch VipsEncoder(self, source: source).format {
        case .jpeg, .png, .webp: false
        case .avif, .gif, .heic, .tiff: true
        }
    }
}

extension RecordWriter {
    mutating func add(_ encoding: BitmapEncoding) {
        switch encoding {
        case .output(let output):
            add(true)
            add(output)
        case .library(let format, let quality, let options):
            add(false)
            add(choice: format)
            add(signed: quality)
            add(options.isProgressive)
            add(options.subsampling.rawValue)
            add(options.isLossless)
            add(options.usesPalette)
        }
    }
}

extension RecordReader {
    mutating func encoding() throws(RecordDamage) -> BitmapEncoding {
        if try flag() { return .output(try output()) }
        let format = try choice(ImageFormat.self)
        let quality = try signed()
        var options = EncodeOptions()
        options.isProgressive = try flag()
        guard let subsampling = EncodeOptions.Subsampling(rawValue: try text()) else { throw RecordDamage() }
        options.subsampling = subsampling
        options.isLossless = try flag()
        options.usesPalette = try flag()
        return .library(format, quality: quality, options)
    }
}
