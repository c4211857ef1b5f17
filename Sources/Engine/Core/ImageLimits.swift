/// What a picture from outside may cost before it is refused.
public struct ImageLimits: Hashable, Sendable {
    /// The most bytes of one encoded source, 64 MiB by default; more is `too_many_bytes`.
    public var sourceBytes = ByteCount.mebibytes(64)
    /// The most pixels of one picture that is held whole in memory, 100 million by default; more is
    /// `too_many_pixels`, told from the header.
    public var pixels = 100_000_000
    /// The most pixels of one source that is decoded row by row (baseline JPEG, PNG without interlacing) to a
    /// smaller picture, 2,000 million by default.
    public var streamedPixels = 2_000_000_000
    /// The most time that the decode of one source and the encoding of its pictures may take, 60 s by default; more is
    /// `timeout_decode`.
    public var decodeTime = Duration.seconds(60)
    /// Whether a picture whose file ends early is made as far as it goes; `false` by default: it is `truncated_image`.
    ///
    /// Such a picture says that it is partial, and is never stored.
    public var acceptsTruncated = false

    /// Creates the default limits.
    public init() {}
}
