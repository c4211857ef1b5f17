public import CalotypeFiles
public import CalotypeHTTPMessages
public import TaskFlow

// Requests have limits and header fields.
@_exported public import struct CalotypeFiles.ByteCount
@_exported public import struct CalotypeHTTPMessages.HTTPMessageError
@_exported public import struct CalotypeHTTPMessages.HeaderField

/// A request for a picture: its source, how to scale it, and how to encode it.
public struct ImageRequest: Hashable, Sendable {
    /// The source of the bytes.
    public var source: ImageSource
    /// How to scale and cut the picture.
    public var transform: Transform
    /// How to encode the rendition.
    public var output: OutputFormat
    /// The priority of the request.
    public var priority: WorkPriority
    /// When the request times out: the wait then ends with `timeout_total`; by default never.
    ///
    /// Other callers that wait for the same picture continue to wait. Among requests of equal priority, those
    /// with an earlier deadline run first.
    public var deadline: ContinuousClock.Instant?
    /// How the request uses the cache.
    public var cachePolicy: CachePolicy
    /// Whether the memory cache may return a larger bitmap of this source; `false` by default.
    ///
    /// It does so only if it lacks the requested bitmap. The larger one shows the same part of the picture in
    /// the same aspect ratio. A smaller one is returned only if the source has no more pixels. Renditions
    /// always have the requested size.
    public var allowsLarger: Bool
    /// Header fields to send to the origin besides the pipeline's own, such as credentials.
    ///
    /// Requests with different fields never share anything.
    public var headers: [HeaderField]
    /// The owner of the request; requests of different partitions, such as tenants, never share anything.
    public var partition: String?
    /// A name of the source that stands for its URL in caches and shared work; `nil`, the default, for none.
    ///
    /// For URLs that change while the picture stays the same, such as signed ones. Requests with the same name,
    /// header fields and partition share downloads and pictures, whatever their URLs. With a name, pictures of
    /// files and bytes are cached too.
    public var cacheKey: String?
    /// The limits for the source.
    public var limits: ImageLimits
    /// Values of the caller, for hooks and observers.
    public var userInfo = RequestInfo()

    /// Creates a request for the picture at `url`; its priority is the current task's by default.
    public init(
        _ url: String,
        _ transform: Transform = .none,
        _ output: OutputFormat = .jpeg,
        priority: WorkPriority? = nil
    ) {
        self.init(.url(url), transform, output, priority: priority)
    }

    /// Creates a request for the picture in `source`; its priority is the current task's by default.
    public init(
        _ source: ImageSource,
        _ transform: Transform = .none,
        _ output: OutputFormat = .jpeg,
        priority: WorkPriority? = nil
    ) {
        self.source = source
        self.transform = transform
        self.output = output
        self.priority = priority ?? .ofCurrentTask
        cachePolicy = .use
        allowsLarger = false
        headers = []
        limits = ImageLimits()
    }
}

/// Values of a caller that travel with a request, each under a type of its own.
///
/// They affect neither the result nor what is shared: requests that differ only in them are equal.
public struct RequestInfo: Hashable, Sendable {
    /// The name and the type of a value.
    public protocol Key {
        /// The type of the value.
        associatedtype Value: Sendable
    }

    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// No values.
    public init() {}

    /// The value under `key`; `nil` for none.
    public subscript<Name: Key>(key: Name.Type) -> Name.Value? {
        get { values[ObjectIdentifier(key)] as? Name.Value }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    /// Always true.
    public static func == (left: RequestInfo, right: RequestInfo) -> Bool { true }

    /// Hashes nothing.
    public func hash(into hasher: inout Hasher) {}
}

/// A rendition to create from a picture: its scaling and its encoding.
public struct RenditionSpec: Hashable, Sendable {
    /// How to scale and cut the picture.
    public var transform: Transform
    /// How to encode it.
    public var output: OutputFormat

    /// Creates a spec.
    public init(_ transform: Transform, _ output: OutputFormat) {
        self.transform = transform
        self.output = output
    }
}

/// How a request uses the cache.
///
/// Cached data is fresh for a time (RFC 9111) that the origin specifies or that is estimated.
public enum CachePolicy: Hashable, Sendable {
    /// Uses fresh data, revalidates stale data with the origin, and stores the result.
    case use
    /// Uses cached data whatever its age: the picture at this URL never changes.
    case immutable
    /// Loads the picture again, and replaces the cached data.
    case reload
    /// Uses only cached data, even if it is stale.
    ///
    /// Fails with `not_cached` if there is none or if the origin forbids its use without revalidation.
    case cacheOnly
    /// Neither reads nor writes the cache.
    case noStore

    /// Whether the request may use cached data.
    public var reads: Bool { self != .reload && self != .noStore }
    /// Whether the result is stored.
    public var writes: Bool { self != .cacheOnly && self != .noStore }
}

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
    /// The sizes to accept, all by default.
    ///
    /// Others are `filtered_size`, as soon as the header shows them.
    public var sizes = SizeFilter()

    /// Creates the default limits.
    public init() {}
}

/// The pictures to accept by the size in their header, before the rest is downloaded.
public struct SizeFilter: Hashable, Sendable {
    /// The minimum of the shorter side.
    public var minSide = 0
    /// The maximum number of pixels; `nil` for no maximum.
    public var maxArea: Double?
    /// The maximum quotient of the longer and the shorter side; `nil` for no maximum.
    public var maxAspectRatio: Double?

    /// Accepts all.
    public init() {}

    /// Throws `filtered_size` if a picture of `size` is refused.
    package func check(_ size: PixelSize) throws(CalotypeError) {
        guard let reason = refusal(of: size) else { return }
        throw CalotypeError(.filteredSize, "the image is \(size): \(reason)", stage: .probe)
    }

    private func refusal(of size: PixelSize) -> String? {
        let (short, long) = (min(size.width, size.height), max(size.width, size.height))
        if short < minSide { return "a side is shorter than \(minSide)" }
        if let maxArea, Double(size.pixelCount) > maxArea {
            return "it has more than \(Int(exactly: maxArea.rounded()) ?? .max) pixels"
        }
        guard let maxAspectRatio, Double(long) / Double(short) > maxAspectRatio else { return nil }
        return "its aspect ratio is more than \(maxAspectRatio)"
    }
}
