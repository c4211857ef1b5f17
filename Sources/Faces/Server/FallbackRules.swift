/// The picture in the place of one that cannot be had.
public struct FallbackRules: Hashable, Sendable {
    /// Where it is; none by default.
    public var place: PicturePlace?
    /// The status of answers that have it, 200 by default; 0 for that of the error.
    public var status = 200
    /// How long it may be kept; as long as any picture where `nil`.
    public var timeToLive: Duration?

    /// No picture.
    public init() {}
}

/// The picture that watermarks are.
public struct WatermarkRules: Hashable, Sendable {
    /// Where it is; none by default.
    public var place: PicturePlace?

    /// No picture.
    public init() {}
}

/// Where a picture of the server's own is.
public enum PicturePlace: Hashable, Sendable {
    /// The encoded picture itself.
    case bytes([UInt8])
    /// A file.
    case file(path: String)
    /// A URL, whatever address it has.
    case url(String)
}
