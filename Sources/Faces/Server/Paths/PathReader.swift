internal import CalotypeCore

/// Parses the paths of requests: signature, options and source.
///
/// The grammar is imgproxy's. The time to parse grows only with the length of the path.
public struct PathReader: Sendable {
    /// The rules for paths.
    public let configuration: PathConfiguration

    /// Creates a reader.
    public init(_ configuration: PathConfiguration) {
        self.configuration = configuration
    }

    /// The kind of `target`; `nil` if it is outside the prefix.
    public func kind(of target: String) -> TargetKind? {
        guard let path = try? TargetPath.path(target, prefix: configuration.prefix) else { return nil }
        return TargetKind(path: path)
    }

    /// Parses the raw target of a request.
    ///
    /// - Parameters:
    ///   - target: The target as in the request line; a query after `?` is ignored.
    ///   - now: The current time in seconds since 1970, for paths that expire.
    ///   - hints: The client hints of the browser, for servers that use them.
    /// - Returns: The request that the path describes.
    /// - Throws: The error response for the request.
    public func thumbnail(
        _ target: String,
        now: Int,
        hints: ClientHints = .none
    ) throws(ServerError) -> ThumbnailRequest {
        try timedThumbnail(target, now: now, hints: hints).thumbnail
    }

    /// Returns the request, and whether its meaning depends on the time.
    func timedThumbnail(
        _ target: String,
        now: Int,
        hints: ClientHints
    ) throws(ServerError) -> (thumbnail: ThumbnailRequest, heedsTime: Bool) {
        guard target.utf8.count <= configuration.maximumBytes.bytes else {
            let most = configuration.maximumBytes
            throw ServerError(414, "Invalid URL", .invalidURL, "the path is longer than \(most)")
        }
        let path = try TargetPath(target, prefix: configuration.prefix)
        try configuration.signature.verify(path.signature, of: path.rest)
        var (thumbnail, heedsTime) = try thumbnail(rest: path.rest, now: now, hints: hints)
        thumbnail.purpose = path.purpose
        return (thumbnail, heedsTime)
    }

    /// Parses the part after a valid signature.
    private func thumbnail(
        rest: String,
        now: Int,
        hints: ClientHints
    ) throws(ServerError) -> (thumbnail: ThumbnailRequest, heedsTime: Bool) {
        var options = OptionRun(configuration, now: now, hints: hints)
        try options.begin()
        var segments = PathSegments(rest)
        if configuration.onlyPresets {
            try options.applyPresets(segments.next() ?? "")
        } else {
            try options.apply(&segments)
        }
        let source = try SourceText(segments, configuration)
        if let name = source.format, !options.draft.thumbnail.isRaw {
            try options.applyFormat(name)
        }
        let text = configuration.rewriting.rewritten(source.text)
        try SourceKind.check(text, configuration)
        // The fallback is another way to name a source, so the same rules apply.
        if let fallback = options.draft.thumbnail.fallback { try SourceKind.check(fallback, configuration) }
        return (try options.draft.finished(source: text, configuration), options.heedsTime)
    }

    /// Parses all presets, so that a mistake in one is found at startup and not with each request.
    ///
    /// - Throws: The error in a preset.
    public func check() throws(ServerError) {
        for name in configuration.presets.names {
            var options = OptionRun(configuration, now: 0, hints: .none)
            do throws(ServerError) {
                try options.applyPresets(Substring(name), isSeparated: false)
                _ = try options.draft.finished(source: "", configuration)
            } catch {
                throw ServerError.configuration("the preset '\(name)': \(error.message)")
            }
        }
    }
}

/// The browser's facts about the place of an image (the Client Hints fields `DPR` and `Width`).
public struct ClientHints: Hashable, Sendable {
    /// The number of screen pixels per page pixel, above 0 and up to 8; `nil` if unknown.
    public var pixelRatio: Double?
    /// The width in screen pixels; `nil` if unknown.
    public var width: Int?

    /// No hints.
    public static let none = ClientHints(pixelRatio: nil, width: nil)

    /// Creates hints from the values of header fields, and ignores invalid values.
    ///
    /// - Parameters:
    ///   - pixelRatio: The value of `Sec-CH-DPR` or `DPR`.
    ///   - width: The value of `Sec-CH-Width` or `Width`.
    public init(pixelRatio: String?, width: String?) {
        let ratio = pixelRatio.flatMap { Double($0) } ?? 0
        self.pixelRatio = ratio > 0 && ratio <= 8 ? ratio : nil
        let pixels = width.flatMap { Int($0) } ?? 0
        self.width = (1...ThumbnailDraft.mostSide).contains(pixels) ? pixels : nil
    }
}

/// The segments of a path, in order.
struct PathSegments {
    private var rest: Substring.UTF8View?

    init(_ path: String) {
        rest = Substring(path).utf8
    }

    /// The remaining path, including slashes; `nil` after the last segment.
    var remainder: Substring? { rest.map { Substring($0) } }

    /// The next segment, which may be empty; `nil` after the last one.
    func peek() -> Substring? {
        rest.map { Substring($0.prefix { $0 != UInt8(ascii: "/") }) }
    }

    /// Returns the next segment and advances past it.
    mutating func next() -> Substring? {
        guard let rest else { return nil }
        let segment = rest.prefix { $0 != UInt8(ascii: "/") }
        self.rest = segment.endIndex == rest.endIndex ? nil : rest[segment.endIndex...].dropFirst()
        return Substring(segment)
    }
}
