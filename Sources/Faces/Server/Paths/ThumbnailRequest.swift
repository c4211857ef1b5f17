public import CalotypeCore

/// What a path asks for, read and checked.
public struct ThumbnailRequest: Hashable, Sendable {
    /// What is wanted of the source.
    public enum Purpose: Hashable, Sendable {
        /// A picture.
        case picture
        /// What the source is: the path begins with `/info`.
        case information
    }

    /// Where the picture is: a URL of the web, `local:///PATH`, or `data:` where that is allowed.
    public var source: String
    /// What is wanted of it.
    public var purpose = Purpose.picture
    /// How it is scaled and what else is done to it.
    public var transform = Transform.none
    /// The format that was named; `nil` where the server chooses.
    public var format: ImageFormat?
    /// The quality, 1 to 100; `nil` for the format's default.
    public var quality: Int?
    /// Qualities of single formats, those that the path names over the server's.
    public var formatQualities: [ImageFormat: Int] = [:]
    /// The quality of formats that have none of their own.
    public var defaultQuality = ThumbnailDefaults().quality
    /// Whether the source's bytes are passed on as they are, whatever they are.
    public var isRaw = false
    /// The source formats that are passed on without their metadata and otherwise unprocessed, if the format asked for is the
    /// same or none.
    public var untouched: Set<ImageFormat> = []
    /// A text that sets answers apart and means nothing.
    public var cacheBuster: String?
    /// When the path ends being good, in seconds since 1970; `nil` for never.
    public var expires: Int?
    /// What the file is called, without its extension; `nil` for the source's name.
    public var fileName: String?
    /// Whether a browser is to save it and not to show it.
    public var isAttachment = false
    /// The URL of the picture that is shown where this one cannot be; `nil` for the server's, if it has one.
    public var fallback: String?
    /// What the source may cost, where the path says so.
    public var limits = ThumbnailLimits()
    /// The presets that were used, in the order of their use.
    public var presets: [String] = []

    /// An order of the picture at `source`, as it is.
    public init(source: String) {
        self.source = source
    }

    /// The quality in which `format` is encoded, 1 to 100.
    public func quality(for format: ImageFormat) -> Int {
        quality ?? formatQualities[format] ?? defaultQuality
    }

    /// The order of the picture that is shown where this one cannot be; `nil` where the path names none.
    public var fallbackOrder: ThumbnailRequest? {
        guard let fallback else { return nil }
        var order = self
        order.source = fallback
        order.fallback = nil
        return order
    }

    /// The seconds from `now` for which the answer may be kept; `nil` where the path does not say.
    public func remainingSeconds(now: Int) -> Int? {
        expires.map { max(0, $0 - now) }
    }
}

/// Limits that a path may set; `nil` for the server's.
public struct ThumbnailLimits: Hashable, Sendable {
    /// The most pixels of the source.
    public var sourcePixels: Int?
    /// The most bytes of the source.
    public var sourceBytes: Int?

    /// No limits of its own.
    public init() {}

    /// `limits` with those that the path sets.
    public func applied(to limits: ImageLimits) -> ImageLimits {
        var limits = limits
        if let sourcePixels {
            limits.pixels = sourcePixels
            limits.streamedPixels = sourcePixels
        }
        if let sourceBytes { limits.sourceBytes = ByteCount(sourceBytes) }
        return limits
    }
}

extension ThumbnailRequest {
    /// The request for the picture in `format`.
    ///
    /// - Parameters:
    ///   - format: What it is encoded as.
    ///   - limits: The server's; those of the path take their place.
    ///   - file: The file that the source names, where it is local.
    /// - Returns: What the pipeline is asked for.
    /// - Throws: The answer where there can be no such picture.
    public func request(
        format: ImageFormat,
        limits: ImageLimits = ImageLimits(),
        file: ImageSource? = nil
    ) throws(ServerError) -> ImageRequest {
        let limits = self.limits.applied(to: limits)
        var request = ImageRequest(
            try imageSource(limits, file),
            transform,
            try OutputFormat(format, quality: quality(for: format))
        )
        request.limits = limits
        return request
    }

    /// The path of the file that the source names; `nil` where it is no local one.
    public var localPath: LocalPath? {
        SourceKind(of: source) == .local ? try? LocalPath(url: source) : nil
    }

    /// Where the bytes come from.
    ///
    /// - Throws: The answer where they come from nowhere.
    public func imageSource(
        _ limits: ImageLimits,
        _ file: ImageSource? = nil
    ) throws(ServerError) -> ImageSource {
        switch SourceKind(of: source) {
        case .web: return .url(source)
        case .local:
            guard let file else { throw .unreachable("the server has no local sources") }
            return file
        case .data:
            do throws(CalotypeError) {
                return try ImageSource(trustedText: source, limits: limits)
            } catch {
                throw ServerError(404, "Invalid source URL", error.code, error.message)
            }
        case nil: throw .unreachable("sources of this scheme are not asked")
        }
    }
}

extension OutputFormat {
    /// The output in `format`, of `quality` where it has one.
    ///
    /// - Throws: The answer for formats that are read only, of which there is none at present.
    public init(_ format: ImageFormat, quality: Int) throws(ServerError) {
        switch format {
        case .jpeg: self = .jpeg(quality: quality)
        case .png: self = .png
        case .webp: self = .webp(quality: quality)
        case .avif: self = .avif(quality: quality)
        case .heic: self = .heic(quality: quality)
        case .gif: self = .gif
        case .tiff: self = .tiff
        }
    }
}
