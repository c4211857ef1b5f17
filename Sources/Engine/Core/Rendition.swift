import CalotypeFiles

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

extension Rendition {
    /// Writes the picture to `path`, in place of what is there; the file appears complete or not at all.
    ///
    /// Links are followed; a device or a FIFO is written to. Blocks while the disk is busy, and until somebody reads from a FIFO.
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

/// Which decoder a picture was made by.
public enum PictureDecoder: Hashable, Sendable {
    /// Calotype's own row-by-row path.
    case fast
    /// libvips; `reason` says in a few words why the fast path did not take the source.
    case libvips(reason: String)

    /// `fast` or `libvips`, for reports.
    public var name: String {
        switch self {
        case .fast: "fast"
        case .libvips: "libvips"
        }
    }
}

/// How what was stored helped with a load.
public enum CacheUse: String, CaseIterable, Hashable, Sendable {
    /// Nothing that was stored was of use: the source was loaded.
    case miss
    /// It was taken as it was stored, and the origin was not asked.
    case hit
    /// The origin was asked, and said that what was stored is still right.
    case revalidated
    /// It was taken although its time was over: the origin is asked meanwhile, or could not be asked.
    case stale
}

/// How long each part of a picture's way took.
public struct LoadTimings: Hashable, Sendable {
    /// Waiting for permits: host, connection, memory, decode.
    public var queue = Duration.zero
    /// Resolving the host's name.
    public var dns = Duration.zero
    /// Connecting, TLS included.
    public var connect = Duration.zero
    /// From the request sent to the first byte of the answer.
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
