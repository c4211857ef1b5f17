/// What a rendition is encoded as.
public enum OutputFormat: Hashable, Sendable {
    /// JPEG; `quality` 1 to 100; transparency is laid on white.
    case jpeg(quality: Int)
    /// PNG, lossless.
    case png
    /// Lossy WebP; `quality` 1 to 100.
    case webp(quality: Int)
    /// AVIF; `quality` 1 to 100.
    case avif(quality: Int)
    /// HEIC; `quality` 1 to 100. libvips's HEVC encoder is not installed everywhere; without it there is `encode_failed`.
    case heic(quality: Int)
    /// GIF of one frame and at most 256 colours.
    case gif
    /// TIFF, lossless.
    case tiff
    /// The source's own format, and where nothing changes its own bytes without metadata; `quality` 1 to 100 where it is encoded
    /// anew, as what is not upright or not in sRGB always is.
    case original(quality: Int)
    /// A format that suits the source.
    case suited(SuitedFormat)

    /// JPEG at quality 82.
    public static let jpeg = OutputFormat.jpeg(quality: defaultQuality)
    /// WebP at quality 82.
    public static let webp = OutputFormat.webp(quality: defaultQuality)
    /// AVIF at quality 60, about as good to the eye as JPEG at 82.
    public static let avif = OutputFormat.avif(quality: 60)
    /// The source's own format; quality 82 where it is encoded anew.
    public static let original = OutputFormat.original(quality: defaultQuality)
    /// The quality of lossy formats where none is given.
    public static let defaultQuality = 82
}
