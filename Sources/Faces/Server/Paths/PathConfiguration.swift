public import CalotypeCore

/// How paths are read.
public struct PathConfiguration: Sendable {
    /// What comes before the signature, such as `/images`; nothing by default.
    public var prefix = ""
    /// What separates the name of an option and its arguments, `:` by default.
    public var argumentsSeparator = ":"
    /// Options under names; none by default.
    public var presets = PresetBook()
    /// Whether paths have names of presets in the place of options; `false` by default.
    public var onlyPresets = false
    /// The options that paths may have, presets not counted; all where `nil`.
    public var allowedOptions: Set<OptionName>?
    /// Whether paths may change limits that protect the server; `false` by default.
    public var allowsSecurityOptions = false
    /// Who may sign paths; by default all paths are good.
    public var signature = SignatureCheck()
    /// The most bytes of a target, 64 KiB by default; more is status 414.
    public var maximumBytes = ByteCount.kibibytes(64)
    /// The most options of one path, those of its presets counted, 1,000 by default.
    public var maximumOptions = 1_000
    /// Whether the last segment of an encoded source is a file name that means nothing; `false` by default.
    public var base64IncludesFileName = false
    /// What becomes of sources before they are used.
    public var rewriting = SourceRewriting()
    /// Which sources may be asked; all of the kinds below by default.
    public var allowedSources = AllowedSources()
    /// Whether `local:///PATH` is a source; `false` by default.
    public var allowsLocal = false
    /// Whether a source may be the picture itself, as a `data:` URL; `false` by default.
    public var allowsData = false
    /// The picture that is laid on others where a path asks for it.
    public var watermark: EncodedPicture?
    /// How opaque it is where the path says 1.
    public var watermarkOpacity = 1.0
    /// What holds where a path says nothing.
    public var defaults = ThumbnailDefaults()

    /// Creates the default configuration.
    public init() {}
}

/// What holds where a path says nothing.
public struct ThumbnailDefaults: Hashable, Sendable {
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
