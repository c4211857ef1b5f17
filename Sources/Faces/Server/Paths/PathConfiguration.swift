public import CalotypeCore

/// How paths are parsed, and what they may request.
public struct PathConfiguration: Sendable {
    /// The path prefix before the signature, such as `/images`; empty by default.
    public var prefix = ""
    /// The separator between the name of an option and its arguments, `:` by default.
    public var argumentsSeparator = ":"
    /// Named sets of options; none by default.
    public var presets = PresetBook()
    /// Whether paths contain names of presets instead of options; `false` by default.
    public var onlyPresets = false
    /// The options that paths may use outside presets; `nil` for all.
    public var allowedOptions: Set<OptionName>?
    /// Whether paths may change limits that protect the server; `false` by default.
    public var allowsSecurityOptions = false
    /// The check of signatures; by default all paths are valid.
    public var signature = SignatureCheck()
    /// The maximum length of a target, 64 KiB by default; a longer one gets a 414.
    public var maximumBytes = ByteCount.kibibytes(64)
    /// The maximum number of options in one path, including those of its presets; 1,000 by default.
    public var maximumOptions = 1_000
    /// Whether the last segment of an encoded source is a file name to ignore; `false` by default.
    public var base64IncludesFileName = false
    /// The rewriting of sources before they are used.
    public var rewriting = SourceRewriting()
    /// The sources that paths may name; by default all sources of the kinds below.
    public var allowedSources = AllowedSources()
    /// Whether `local:///PATH` may be a source; `false` by default.
    public var allowsLocal = false
    /// Whether a `data:` URL that contains the image may be a source; `false` by default.
    public var allowsData = false
    /// The watermark for paths that request one.
    public var watermark: EncodedPicture?
    /// The opacity of the watermark if the path specifies 1.
    public var watermarkOpacity = 1.0
    /// The defaults for what a path does not specify.
    public var defaults = ThumbnailDefaults()

    /// Creates the default configuration.
    public init() {}
}

/// The defaults for what a path does not specify.
public struct ThumbnailDefaults: Hashable, Sendable {
    /// The quality for formats that are not in ``formatQualities``, 80.
    public var quality = 80
    /// The qualities for individual formats: WebP 79, AVIF 63.
    public var formatQualities: [ImageFormat: Int] = [.webp: 79, .avif: 63]
    /// Whether JPEGs are progressive; `false`.
    public var isProgressive = false
    /// Whether to remove EXIF, XMP and IPTC metadata; `true`.
    public var stripsMetadata = true
    /// Whether to keep copyright and artist when removing metadata; `true`.
    public var keepsCopyright = true
    /// Whether to convert colours to sRGB and remove the colour profile; `true`.
    public var stripsColourProfile = true
    /// Whether to rotate images upright by their EXIF orientation; `true`.
    public var rotatesAutomatically = true
    /// Whether browsers should save images instead of showing them; `false`.
    public var returnsAttachments = false
    /// The source formats that are passed through unprocessed, except that metadata is removed; none.
    public var untouched: Set<ImageFormat> = []
    /// The maximum number of pixels on each side of a result; 0 for no limit.
    public var mostSide = 0
    /// The maximum number of frames of an animation that a result keeps; 1 for the first frame alone.
    public var mostFrames = 1

    /// Creates the defaults.
    public init() {}
}
