public import CalotypeFiles

/// The maximum cost of a picture from outside before it is refused.
public struct ImageLimits: Hashable, Sendable {
    /// The maximum size of one encoded source, 64 MiB by default; more is `too_many_bytes`.
    public var sourceBytes = ByteCount.mebibytes(64)
    /// The maximum number of pixels of one picture that is held whole in memory, 100 million by default.
    ///
    /// More is `too_many_pixels`, as soon as the header shows it.
    public var pixels = 100_000_000
    /// The maximum number of pixels of one source that is decoded row by row, 2,000 million by default.
    ///
    /// Such sources are a baseline JPEG and a PNG without interlacing, made into a smaller picture.
    public var streamedPixels = 2_000_000_000
    /// The maximum time for decoding one source and encoding its pictures, 60 s by default.
    ///
    /// More is `timeout_decode`.
    public var decodeTime = Duration.seconds(60)
    /// Whether to render a truncated picture as far as it goes; `false` by default: it is `truncated_image`.
    ///
    /// Such a picture is marked as partial, and is never stored.
    public var acceptsTruncated = false

    /// Creates the default limits.
    public init() {}
}
