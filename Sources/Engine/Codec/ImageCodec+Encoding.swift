public import CalotypeCore
import CalotypeFiles
import TaskFlow

// Encoding pixels.
extension ImageCodec {
    /// Encodes `bitmap`; for JPEG, transparency becomes white.
    public func encode(_ bitmap: Bitmap, as format: OutputFormat) async throws -> [UInt8] {
        switch format {
        case .original, .suited:
            throw CalotypeError(.invalidRequest, "pixels have no original format", stage: .request)
        case .png16:
            throw CalotypeError(.invalidRequest, "a bitmap has 8 bits per sample, not 16", stage: .request)
        case .jpeg, .progressiveJPEG, .png, .webp, .losslessWebP, .avif, .heic, .jxl, .gif, .tiff, .custom:
            break
        }
        return try await encode(bitmap, .output(format))
    }

    /// Encodes `bitmap` as `format`, even if requests cannot use that format for output.
    ///
    /// `quality`, 1 to 100, applies to the lossy formats.
    ///
    /// - Throws: `encode_failed`, `decoder_crashed`; `CancellationError`.
    public func encode(
        _ bitmap: Bitmap,
        as format: ImageFormat,
        quality: Int = OutputFormat.defaultQuality,
        options: EncodeOptions = EncodeOptions()
    ) async throws -> [UInt8] {
        try await encode(bitmap, .library(format, quality: quality, options))
    }

    private func encode(_ bitmap: Bitmap, _ encoding: BitmapEncoding) async throws -> [UInt8] {
        try await onCore(LivePriority()) { try await self.admitted(bitmap, encoding) }
    }

    @concurrent
    private func admitted(_ bitmap: Bitmap, _ encoding: BitmapEncoding) async throws -> [UInt8] {
        // The pixels and the encoded bytes; for a worker, the pixels once more here and twice there.
        let pixelBytes = (decoders.isolated == nil ? 5 : 17) + encoding.pixelBytes
        return try await admitted(bytes: min(bitmap.size.pixelCount, 1 << 40) * pixelBytes, LivePriority()) {
            try await withKillSwitch(limit: ImageLimits().decodeTime) { killSwitch in
                try self.decoders.encode(bitmap, encoding, killSwitch)
            }
        }
    }
}

/// Options of an encoder besides format and quality; each format uses those that apply to it.
public struct EncodeOptions: Hashable, Sendable {
    /// The ways in which JPEG stores colour.
    public enum Subsampling: String, Sendable {
        /// Half the resolution below quality 90, full from there on.
        case automatic = "auto"
        /// Half the resolution each way (4:2:0).
        case half = "on"
        /// Full resolution (4:4:4).
        case none = "off"
    }

    /// Whether JPEG is progressive and PNG interlaced; no by default.
    public var isProgressive = false
    /// The way in which JPEG stores colour; automatic by default.
    public var subsampling = Subsampling.automatic
    /// Whether WebP is lossless; no by default.
    public var isLossless = false
    /// Whether PNG is reduced to a palette of at most 256 colours; no by default.
    public var usesPalette = false

    /// Creates the default options.
    public init() {}
}

/// The format and the encoder for pixels.
enum BitmapEncoding: Hashable {
    /// The fast encoders, or libvips if they do not support the format.
    case output(OutputFormat)
    /// libvips.
    case library(ImageFormat, quality: Int, EncodeOptions)

    /// Encodes `bitmap`; for JPEG, transparency becomes white.
    ///
    /// - Throws: `encode_failed`, `decoder_unavailable`; `CancellationError`.
    func encode(_ bitmap: Bitmap, _ killSwitch: KillSwitch) throws -> [UInt8] {
        switch self {
        case .output(.custom(let encoder)): try encoder.bytes(of: bitmap, killSwitch)
        case .output(let output): try FastEncoders.encode(bitmap, output, killSwitch)
        case .library(let format, let quality, let options):
            try VipsEncoder(format, quality: quality, options: options).encode(bitmap, killSwitch)
        }
    }

    /// The encoding by libvips.
    var byLibrary: BitmapEncoding {
        guard case .output(let output) = self, output.customEncoder == nil else { return self }
        let encoder = VipsEncoder(output, source: .png)
        return .library(encoder.format, quality: encoder.quality, encoder.options)
    }

    /// The bytes per pixel that the encoder holds besides the pixels.
    var pixelBytes: Int {
        guard case .library(let format, let quality, let options) = byLibrary else { return 0 }
        return VipsEncoder(format, quality: quality, options: options).pixelBytes
    }

    /// Whether it needs libvips.
    var needsLibrary: Bool {
        switch self {
        case .output(let output): output.needsLibrary(source: .png)
        case .library: true
        }
    }

    /// The format of the encoded bytes.
    var format: ImageFormat {
        switch self {
        case .output(.custom): .custom
        case .output(let output): VipsEncoder(output, source: .png).format
        case .library(let format, _, _): format
        }
    }
}

extension OutputFormat {
    /// The encoder of the program, if it is to be used.
    var customEncoder: CustomEncoder? {
        guard case .custom(let encoder) = self else { return nil }
        return encoder
    }

    /// Whether only libvips can encode it; `source` is the format that `.original` stands for.
    func needsLibrary(source: ImageFormat) -> Bool {
        guard customEncoder == nil else { return false }
        return switch VipsEncoder(self, source: source).format {
        case .jpeg, .png, .webp: false
        case .avif, .gif, .heic, .tiff, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom: true
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
    mutating func encoding() throws(SystemError) -> BitmapEncoding {
        if try flag() { return .output(try output()) }
        let format = try choice(ImageFormat.self)
        let quality = try signed()
        var options = EncodeOptions()
        options.isProgressive = try flag()
        guard let subsampling = EncodeOptions.Subsampling(rawValue: try text()) else {
            throw .notARecord
        }
        options.subsampling = subsampling
        options.isLossless = try flag()
        options.usesPalette = try flag()
        return .library(format, quality: quality, options)
    }
}
