public import CalotypeCore

/// What a path asks for, read and checked.
public struct ImageOrder: Hashable, Sendable {
    /// Where the picture is: a URL, or `local:///PATH`.
    public var source: String
    /// How it is scaled and what else is done to it.
    public var transform = Transform.none
    /// The format that was named; `nil` where the server chooses.
    public var format: ImageFormat?
    /// The quality, 1 to 100; `nil` for the format's default.
    public var quality: Int?
    /// Qualities of single formats.
    public var formatQualities: [ImageFormat: Int] = [:]
    /// Whether the source's bytes are passed on as they are, whatever they are.
    public var isRaw = false
    /// The source formats whose bytes are passed on as they are.
    public var untouched: Set<ImageFormat> = []
    /// A text that sets answers apart and means nothing.
    public var cacheBuster: String?
    /// When the path ends being good, in seconds since 1970; `nil` for never.
    public var expires: Int?
    /// What the file is called, without its extension; `nil` for the source's name.
    public var fileName: String?
    /// Whether a browser is to save it and not to show it.
    public var isAttachment = false
    /// What the source may cost, where the path says so.
    public var limits = OrderLimits()

    /// An order of the picture at `source`, as it is.
    public init(source: String) {
        self.source = source
    }
}

/// Limits that a path may set; `nil` for the server's.
public struct OrderLimits: Hashable, Sendable {
    /// The most pixels of the source.
    public var sourcePixels: Int?
    /// The most bytes of the source.
    public var sourceBytes: Int?

    /// No limits of its own.
    public init() {}
}
