public import CalotypeCore

/// What holds where a path says nothing.
public struct OrderDefaults: Hashable, Sendable {
    /// The quality of formats that are not in ``formatQualities``, 80.
    public var quality = 80
    /// The qualities of single formats: WebP 79, AVIF 63.
    public var formatQualities: [ImageFormat: Int] = [.webp: 79, .avif: 63]
    /// Whether EXIF, XMP and IPTC are left out; `true`.
    public var stripsMetadata = true
    /// Whether copyright and artist stay where metadata are left out; `true`.
    public var keepsCopyright = true
    /// Whether colours become sRGB and the profile is left out; `true`.
    public var stripsColourProfile = true
    /// Whether pictures are turned upright by their EXIF orientation; `true`.
    public var rotatesAutomatically = true
    /// Whether browsers are to save pictures; `false`.
    public var returnsAttachments = false
    /// The source formats that are passed on without their metadata and otherwise unprocessed; none.
    public var untouched: Set<ImageFormat> = []
    /// The most pixels of each side of a result; 0 for as many as there are.
    public var mostSide = 0

    /// Creates the defaults.
    public init() {}
}
