/// What a picture from outside may cost before it is refused.
public struct ImageLimits: Hashable, Sendable {
    /// The most bytes of one encoded source, 64 MiB by default; more is `too_many_bytes`.
    public var sourceBytes = ByteCount.mebibytes(64)
    /// The most pixels of one source, 100 million by default; more is `too_many_pixels`, told from the header.
    public var pixels = 100_000_000

    /// Creates the default limits.
    public init() {}
}
