/// A picture made for a request: encoded bytes and the facts about them.
public struct Rendition: Sendable {
    /// The encoded picture.
    public var bytes: [UInt8]
    /// The format of ``bytes``.
    public var format: ImageFormat
    /// Width and height of the picture in ``bytes``, upright.
    public var size: PixelSize
    /// The source's header.
    public var source: ImageFacts
    /// The length of the source's encoded bytes.
    public var sourceBytes: ByteCount
    /// Whether ``bytes`` are the source's own, without its metadata: its picture was not encoded again.
    public var isVerbatim: Bool
    /// Whether the source ended early and the picture shows only what there was; see ``ImageLimits/acceptsTruncated``.
    public var isPartial: Bool
    /// Which decoder made it; `nil` where none did: for the source's own bytes and for what came from a store.
    public var decoder: PictureDecoder?
    /// How many requests the source took, redirects not counted; 0 for a source that is no URL.
    public var attempts: Int
    /// How long each part took.
    public var timings: LoadTimings
    /// How what was stored helped with this load.
    public var cache: CacheUse

    /// Creates a rendition.
    public init(
        bytes: [UInt8],
        format: ImageFormat,
        size: PixelSize,
        source: ImageFacts,
        sourceBytes: ByteCount,
        isVerbatim: Bool = false,
        isPartial: Bool = false,
        decoder: PictureDecoder? = nil,
        attempts: Int = 0,
        timings: LoadTimings = LoadTimings(),
        cache: CacheUse = .miss
    ) {
        self.bytes = bytes
        self.format = format
        self.size = size
        self.source = source
        self.sourceBytes = sourceBytes
        self.isVerbatim = isVerbatim
        self.isPartial = isPartial
        self.decoder = decoder
        self.attempts = attempts
        self.timings = timings
        self.cache = cache
    }
}
