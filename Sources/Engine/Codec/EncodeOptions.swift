/// Choices of an encoder beside format and quality; each format heeds those that it knows.
public struct EncodeOptions: Hashable, Sendable {
    /// How JPEG stores colour.
    public enum Subsampling: String, Sendable {
        /// Half the resolution below quality 90, full from there on.
        case automatic = "auto"
        /// Half the resolution each way (4:2:0).
        case half = "on"
        /// Full resolution (4:4:4).
        case none = "off"
    }

    /// Whether JPEG is progressive and PNG interlaced; no by default.
    public var isProgressive = false
    /// How JPEG stores colour; automatic by default.
    public var subsampling = Subsampling.automatic
    /// Whether WebP is lossless; no by default.
    public var isLossless = false
    /// Whether PNG is reduced to a palette of at most 256 colours; no by default.
    public var usesPalette = false

    /// Creates the default options.
    public init() {}
}
