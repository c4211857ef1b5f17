public import CalotypeCore

extension ImageOrder {
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
    ) throws(RequestRefusal) -> ImageRequest {
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
    ) throws(RequestRefusal) -> ImageSource {
        switch SourceKind(of: source) {
        case .web: return .url(source)
        case .local:
            guard let file else { throw .unreachable("the server has no local sources") }
            return file
        case .data:
            do throws(CalotypeError) {
                return try ImageSource(trustedText: source, limits: limits)
            } catch {
                throw RequestRefusal(404, "Invalid source URL", error.code, error.message)
            }
        case nil: throw .unreachable("sources of this scheme are not asked")
        }
    }
}

extension OutputFormat {
    /// The output in `format`, of `quality` where it has one.
    ///
    /// - Throws: The answer for formats that are read only, of which there is none at present.
    public init(_ format: ImageFormat, quality: Int) throws(RequestRefusal) {
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
