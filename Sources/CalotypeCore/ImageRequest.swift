public import TaskFlow

/// Where a picture's bytes come from.
public enum ImageSource: Hashable, Sendable {
    /// An `http` or `https` URL as a person would write it; blanks and non-ASCII are percent-encoded.
    case url(String)
    /// A file on this machine.
    case file(path: String)
    /// Encoded bytes.
    case bytes([UInt8])
}

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
        limits = ImageLimits()
    }
}
