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
    public var defaults = OrderDefaults()

    /// Creates the default configuration.
    public init() {}
}
