public import CalotypeHTTPMessages
public import TaskFlow

/// What a caller wants: a source, how it is scaled, and what it is encoded as.
public struct ImageRequest: Hashable, Sendable {
    /// Where the bytes come from.
    public var source: ImageSource
    /// How the picture is scaled and cut.
    public var transform: Transform
    /// What the rendition is encoded as.
    public var output: OutputFormat
    /// How urgent it is compared with other requests.
    public var priority: WorkPriority
    /// When it is of no use any more: the wait for it then ends with `timeout_total`; never unless given.
    ///
    /// Others who wait for the same picture go on waiting. Of requests with equal priority the one whose deadline comes
    /// first is worked on first.
    public var deadline: ContinuousClock.Instant?
    /// How it treats what is stored already.
    public var cachePolicy: CachePolicy
    /// Whether a larger bitmap of the same source may be given instead, if memory has one and not the one asked for; `false`
    /// by default.
    ///
    /// It shows the same part of the picture in the same aspect ratio. A smaller one is given only where the source has no
    /// more pixels. Renditions are always made as asked.
    public var allowsLarger: Bool
    /// Fields sent to the origin besides the pipeline's own, credentials for example.
    ///
    /// Requests with different fields never share anything.
    public var headers: [HeaderField]
    /// Whose request it is; requests of different partitions, such as tenants, never share anything.
    public var partition: String?
    /// What the source may cost.
    public var limits: ImageLimits

    /// Creates a request for the picture at `url`.
    public init(
        _ url: String,
        _ transform: Transform = .none,
        _ output: OutputFormat = .jpeg,
        priority: WorkPriority = .normal
    ) {
        self.init(.url(url), transform, output, priority: priority)
    }

    /// Creates a request for the picture in `source`.
    public init(
        _ source: ImageSource,
        _ transform: Transform = .none,
        _ output: OutputFormat = .jpeg,
        priority: WorkPriority = .normal
    ) {
        self.source = source
        self.transform = transform
        self.output = output
        self.priority = priority
        cachePolicy = .use
        allowsLarger = false
        headers = []
        limits = ImageLimits()
    }
}

/// One rendition to make of a picture: its scaling and its encoding.
public struct RenditionSpec: Hashable, Sendable {
    /// How the picture is scaled and cut.
    public var transform: Transform
    /// What it is encoded as.
    public var output: OutputFormat

    /// Creates a spec.
    public init(_ transform: Transform, _ output: OutputFormat) {
        self.transform = transform
        self.output = output
    }
}

/// How a request treats what is stored already.
///
/// What is stored has a time for which it may be taken (RFC 9111), which the origin tells or which is estimated.
public enum CachePolicy: Hashable, Sendable {
    /// Takes what is stored and fresh, asks the origin whether the rest is still right, and stores what was made.
    case use
    /// Takes what is stored whatever its age: the picture at this URL never changes.
    case immutable
    /// Loads it anew, and stores it in the place of what is there.
    case reload
    /// Takes what is stored, also when it is stale, and asks nobody else; `not_cached` where there is nothing or the
    /// origin forbids to take it unasked.
    case cacheOnly
    /// Neither takes nor stores.
    case noStore

    /// Whether what is stored may be taken.
    public var reads: Bool { self != .reload && self != .noStore }
    /// Whether what was made is stored.
    public var writes: Bool { self != .cacheOnly && self != .noStore }
}
