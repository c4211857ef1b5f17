public import CalotypeCore

/// The request that a path describes, parsed and checked.
public struct ThumbnailRequest: Hashable, Sendable {
    /// The purpose of a request.
    public enum Purpose: Hashable, Sendable {
        /// An image.
        case picture
        /// Information about the source: the path starts with `/info`.
        case information
    }

    /// The URL of the image: a web URL, `local:///PATH`, or `data:` if that is allowed.
    public var source: String
    /// The purpose of the request.
    public var purpose = Purpose.picture
    /// The scaling and other processing.
    public var transform = Transform.none
    /// The requested format; `nil` if the server chooses.
    public var format: ImageFormat?
    /// The quality, 1 to 100; `nil` for the format's default.
    public var quality: Int?
    /// The qualities for individual formats; those in the path override the server's.
    public var formatQualities: [ImageFormat: Int] = [:]
    /// The quality for formats without their own.
    public var defaultQuality = ThumbnailDefaults().quality
    /// Whether a JPEG is progressive.
    public var isProgressive = false
    /// Whether to pass the source's bytes through unchanged, whatever they are.
    public var isRaw = false
    /// The source formats that are passed through unprocessed, except that metadata is removed.
    ///
    /// This applies only if the path requests no format or the same one.
    public var untouched: Set<ImageFormat> = []
    /// A text without meaning that distinguishes responses.
    public var cacheBuster: String?
    /// When the path expires, in seconds since 1970; `nil` for never.
    public var expires: Int?
    /// The file name without its extension; `nil` for the source's name.
    public var fileName: String?
    /// Whether a browser should save the image instead of showing it.
    public var isAttachment = false
    /// The URL of the fallback image; `nil` for the server's, if it has one.
    public var fallback: String?
    /// The limits for the source that the path sets.
    public var limits = ThumbnailLimits()
    /// The presets in the order of their use.
    public var presets: [String] = []

    /// Creates a request for the unprocessed image at `source`.
    public init(source: String) {
        self.source = source
    }

    /// Returns the quality for encoding `format`, 1 to 100.
    public func quality(for format: ImageFormat) -> Int {
        quality ?? formatQualities[format] ?? defaultQuality
    }

    /// The request for the fallback image; `nil` if the path names none.
    public var fallbackThumbnail: ThumbnailRequest? {
        guard let fallback else { return nil }
        var thumbnail = self
        thumbnail.source = fallback
        thumbnail.fallback = nil
        return thumbnail
    }

    /// The number of seconds from `now` for which the response may be cached; `nil` if the path sets no end.
    public func remainingSeconds(now: Int) -> Int? {
        expires.map { max(0, $0 - now) }
    }
}

/// The limits that a path may set; `nil` for the server's.
public struct ThumbnailLimits: Hashable, Sendable {
    /// The maximum number of pixels in the source.
    public var sourcePixels: Int?
    /// The maximum number of bytes in the source.
    public var sourceBytes: Int?

    /// Creates limits that change nothing.
    public init() {}

    /// Returns `limits` with the values that the path sets.
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
    /// Creates the request for the image in `format`.
    ///
    /// - Parameters:
    ///   - format: The format to encode.
    ///   - limits: The server's limits; those in the path override them.
    ///   - file: The file that the source names, if it is local.
    /// - Returns: The request for the pipeline.
    /// - Throws: The error response if there can be no such image.
    public func request(
        format: ImageFormat,
        limits: ImageLimits = ImageLimits(),
        file: ImageSource? = nil
    ) throws(ServerError) -> ImageRequest {
        let limits = self.limits.applied(to: limits)
        var request = ImageRequest(
            try imageSource(limits, file),
            transform,
            try output(format)
        )
        request.limits = limits
        return request
    }

    /// Returns the encoding for an image in `format`.
    ///
    /// - Throws: The error response for formats that are only read.
    func output(_ format: ImageFormat) throws(ServerError) -> OutputFormat {
        let quality = quality(for: format)
        return format == .jpeg && isProgressive
            ? .progressiveJPEG(quality: quality) : try OutputFormat(format, quality: quality)
    }

    /// The path of the file that the source names; `nil` if the source is not local.
    public var localPath: LocalPath? {
        SourceKind(of: source) == .local ? try? LocalPath(url: source) : nil
    }

    /// Returns the source of the bytes.
    ///
    /// - Throws: The error response if there is none.
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
        case nil: throw .unreachable("this source's scheme is not supported")
        }
    }
}

extension OutputFormat {
    /// Creates the output for `format`, with `quality` if the format has one.
    ///
    /// - Throws: The error response for formats that are only read.
    public init(_ format: ImageFormat, quality: Int) throws(ServerError) {
        switch format {
        case .jpeg: self = .jpeg(quality: quality)
        case .png: self = .png
        case .webp: self = .webp(quality: quality)
        case .avif: self = .avif(quality: quality)
        case .heic: self = .heic(quality: quality)
        case .jxl: self = .jxl(quality: quality)
        case .gif: self = .gif
        case .tiff: self = .tiff
        case .pnm, .jp2, .bmp, .tga, .psd, .ico, .svg, .custom:
            throw .unsupported("output in the format \(format.rawValue) is")
        }
    }
}
