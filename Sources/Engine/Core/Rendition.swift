public import CalotypeFiles

/// A picture created for a request: encoded bytes and the facts about them.
public struct Rendition: Sendable {
    /// The encoded picture.
    public var bytes: [UInt8]
    /// The format of ``bytes``.
    public var format: ImageFormat
    /// Width and height of the picture in ``bytes``, upright.
    public var size: PixelSize
    /// The facts in the source's header.
    public var source: ImageFacts
    /// The length of the source's encoded bytes.
    public var sourceBytes: ByteCount
    /// Whether ``bytes`` are the source's own, without its metadata: the picture was not encoded again.
    public var isVerbatim: Bool
    /// Whether the source ended early and the picture shows only part of it.
    ///
    /// See ``ImageLimits/acceptsTruncated``.
    public var isPartial: Bool
    /// The decoder that was used; `nil` for the source's own bytes and for cached pictures.
    public var decoder: PictureDecoder?
    /// The number of requests for the source, without redirects; 0 for a source that is not a URL.
    public var attempts: Int
    /// How long each stage took.
    public var timings: LoadTimings
    /// How this load used the cache.
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

extension Rendition {
    /// Writes the picture to `path`, replacing an existing file; the file appears complete or not at all.
    ///
    /// Follows links, and writes directly to a device or a FIFO. Blocks while the disk is busy, and until
    /// another process reads from a FIFO.
    ///
    /// - Throws: `storage_failed`.
    public func write(to path: String) throws(CalotypeError) {
        do {
            try AtomicFile.write(bytes, to: path)
        } catch {
            throw CalotypeError(.storageFailed, "\(path): \(error)", stage: .store, cause: error)
        }
    }
}

/// The decoder of a picture.
public enum PictureDecoder: Hashable, Sendable {
    /// Calotype's own row-by-row path.
    case fast
    /// libvips; `reason` states in a few words why the fast path did not accept the source.
    case libvips(reason: String)

    /// `fast` or `libvips`, for reports.
    public var name: String {
        switch self {
        case .fast: "fast"
        case .libvips: "libvips"
        }
    }
}

/// How a load used the cache.
public enum CacheUse: String, CaseIterable, Hashable, Sendable {
    /// A miss: the source was loaded.
    case miss
    /// A hit: the cached data was used without a request to the origin.
    case hit
    /// The origin confirmed that the cached data is still valid.
    case revalidated
    /// Stale data was used: a background request is revalidating it, or the origin could not be reached.
    case stale
}

/// How long each stage of a load took.
public struct LoadTimings: Hashable, Sendable {
    /// Waiting for permits: host, connection, memory, decode.
    public var queue = Duration.zero
    /// Resolving the host's name.
    public var dns = Duration.zero
    /// Connecting, TLS included.
    public var connect = Duration.zero
    /// From sending the request to the first byte of the response.
    public var firstByte = Duration.zero
    /// Receiving the body.
    public var body = Duration.zero
    /// Decoding and scaling.
    public var decode = Duration.zero
    /// Encoding.
    public var encode = Duration.zero
    /// From the call to the result.
    public var total = Duration.zero

    /// Creates timings of zero.
    public init() {}
}
