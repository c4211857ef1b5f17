/// The encoding of a rendition.
public enum OutputFormat: Hashable, Sendable {
    /// JPEG; `quality` 1 to 100; transparency becomes white.
    case jpeg(quality: Int)
    /// JPEG that begins with a coarse picture and refines it; `quality` 1 to 100; transparency becomes white.
    ///
    /// It is usually a little smaller, and takes more time and memory to encode.
    case progressiveJPEG(quality: Int)
    /// PNG, lossless.
    case png
    /// PNG with 16 bits per sample, lossless; other PNGs have 8.
    ///
    /// Sources with 16 bits, such as depth maps and scans, keep their precision; PNM and PSD are read with 8.
    /// Blurring, sharpening, pixelation, watermarks and processors support only 8 bits, so a request that combines
    /// one of them with this format fails with `invalid_request`.
    case png16
    /// Lossy WebP; `quality` 1 to 100.
    case webp(quality: Int)
    /// WebP, lossless; the colour of transparent pixels may change.
    case losslessWebP
    /// AVIF; `quality` 1 to 100.
    case avif(quality: Int)
    /// HEIC; `quality` 1 to 100.
    ///
    /// Requires libvips's HEVC encoder, which is optional. Without it the error is `encode_failed`.
    case heic(quality: Int)
    /// JPEG XL; `quality` 1 to 100.
    ///
    /// Requires libvips with libjxl, which runs only in worker processes. Without them the error is
    /// `encode_failed`. Few browsers show the format.
    case jxl(quality: Int)
    /// GIF of one frame and at most 256 colours.
    case gif
    /// TIFF, lossless.
    case tiff
    /// The source's own format; if nothing changes, the source's own bytes without metadata.
    ///
    /// `quality`, 1 to 100, applies if it is encoded again, as every source is that is not upright or not in
    /// sRGB. JPEG 2000 and JPEG XL become JPEG, or PNG if they may be transparent; other formats that are only
    /// read become PNG.
    case original(quality: Int)
    /// A format that suits the source.
    case suited(SuitedFormat)
    /// The format of an encoder of the program; see ``encoded(by:)``.
    case custom(CustomEncoder)

    /// Whether an animation can keep its frames.
    package var isAnimated: Bool {
        switch self {
        case .webp, .losslessWebP, .gif, .original, .suited: true
        case .jpeg, .progressiveJPEG, .png, .png16, .avif, .heic, .jxl, .tiff, .custom: false
        }
    }

    /// Describes what is wrong with it for a result of `transform`; `nil` if nothing is.
    package func refused(for transform: Transform) -> String? {
        switch self {
        case .png16: transform.shallowStep.map { "16 bits per sample and \($0), which supports only 8" }
        case .custom(let encoder): encoder.refused(for: transform.edits)
        default: nil
        }
    }

    /// JPEG at quality 82.
    public static let jpeg = OutputFormat.jpeg(quality: defaultQuality)
    /// WebP at quality 82.
    public static let webp = OutputFormat.webp(quality: defaultQuality)
    /// AVIF at quality 60, about as good to the eye as JPEG at 82.
    public static let avif = OutputFormat.avif(quality: 60)
    /// The source's own format; quality 82 if it is encoded again.
    public static let original = OutputFormat.original(quality: defaultQuality)
    /// The default quality of lossy formats.
    public static let defaultQuality = 82
}

/// How to choose the format of a result from its source, if the request names none.
///
/// A result is always encoded again, so that no metadata of the source is passed on unnoticed.
public struct SuitedFormat: Hashable, Sendable {
    /// The formats to keep if the source has one of them.
    ///
    /// Other sources get the first of these formats that can show the picture. If none of them can, a picture
    /// with transparent parts becomes PNG, and others JPEG.
    public var preferred: [ImageFormat]
    /// The qualities of individual formats, 1 to 100.
    public var qualities: [ImageFormat: Int]
    /// The quality of all other formats, 1 to 100.
    public var quality: Int
    /// Whether a JPEG is progressive.
    public var isProgressive: Bool

    /// Creates a rule; by default JPEG and PNG are kept, and a JPEG is not progressive.
    public init(
        preferred: [ImageFormat] = [.jpeg, .png],
        qualities: [ImageFormat: Int] = [:],
        quality: Int = OutputFormat.defaultQuality,
        isProgressive: Bool = false
    ) {
        self.preferred = preferred
        self.qualities = qualities
        self.quality = quality
        self.isProgressive = isProgressive
    }

    /// Returns the format for a source of `format`.
    ///
    /// `needsAlpha` states whether the result may have transparent parts.
    public func format(source: ImageFormat, needsAlpha: Bool) -> ImageFormat {
        let suits = { (format: ImageFormat) in format.canSuit && (format.keepsAlpha || !needsAlpha) }
        if preferred.contains(source), suits(source) { return source }
        return preferred.first(where: suits) ?? (needsAlpha ? .png : .jpeg)
    }

    /// Returns the encoding for the result of `transform` on a source with these `facts`.
    package func output(_ transform: Transform, of facts: ImageFacts) -> OutputFormat {
        if transform.edits.mostFrames > 1, facts.animationFrames > 1 { return animated(facts.format) }
        let needsAlpha = transform.edits.mayBeTransparent(sourceHasAlpha: facts.hasAlpha)
        return output(source: facts.format, needsAlpha: needsAlpha)
    }

    /// Returns the encoding for a result that may have transparent parts, or has none.
    package func output(source: ImageFormat, needsAlpha: Bool) -> OutputFormat {
        let format = format(source: source, needsAlpha: needsAlpha)
        let quality = qualities[format] ?? quality
        return switch format {
        case .png: .png
        case .webp: .webp(quality: quality)
        case .avif: .avif(quality: quality)
        default: isProgressive ? .progressiveJPEG(quality: quality) : .jpeg(quality: quality)
        }
    }

    /// The encoding of an animation from a source of `format`.
    private func animated(_ format: ImageFormat) -> OutputFormat {
        guard format == .png || preferred.contains(.webp) || format == .webp else { return .gif }
        return .webp(quality: qualities[.webp] ?? quality)
    }

    /// A text that identifies the rule.
    ///
    /// Equal rules have equal names, different rules different ones.
    package var name: String {
        let own = qualities.map { "\($0.key.rawValue)=\($0.value)" }.sorted()
        let kept = preferred.map(\.rawValue).joined(separator: ",")
        return "\(kept) \(quality) \(own.joined(separator: ","))\(isProgressive ? " progressive" : "")"
    }
}

extension ImageFormat {
    /// Whether pictures of the format can have transparent parts.
    package var keepsAlpha: Bool { self != .jpeg }

    /// Whether ``SuitedFormat`` can choose the format.
    package var canSuit: Bool {
        switch self {
        case .jpeg, .png, .webp, .avif: true
        case .heic, .gif, .tiff, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom: false
        }
    }
}

extension PictureEdits {
    /// Whether the result may have transparent parts.
    package func mayBeTransparent(sourceHasAlpha: Bool) -> Bool {
        guard background == nil else { return false }
        return sourceHasAlpha || padding != Padding() || extended != nil || extendedToAspectRatio != nil
    }
}
