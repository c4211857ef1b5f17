internal import CalotypeCore

/// Reads the paths of requests: signature, options, source.
///
/// The grammar is imgproxy's. All is read in time that grows with the length of the path only.
public struct PathReader: Sendable {
    /// How paths are read.
    public let configuration: PathConfiguration

    /// Creates a reader.
    public init(_ configuration: PathConfiguration) {
        self.configuration = configuration
    }

    /// What `target` is for; `nil` where it is outside of the prefix.
    public func kind(of target: String) -> TargetKind? {
        guard let path = try? TargetPath.path(target, prefix: configuration.prefix) else { return nil }
        return TargetKind(path: path)
    }

    /// Reads `target`, the raw target of a request.
    ///
    /// - Parameters:
    ///   - target: as it stands in the request line; what follows a `?` is not looked at.
    ///   - now: seconds since 1970, for paths that expire.
    ///   - hints: what the browser told, for servers that heed it.
    /// - Returns: What the path asks for.
    /// - Throws: The answer that the request gets.
    public func order(
        _ target: String,
        now: Int,
        hints: ClientHints = .none
    ) throws(ServerError) -> ThumbnailRequest {
        try timedOrder(target, now: now, hints: hints).order
    }

    /// The order, and whether the path means something else at another time.
    func timedOrder(
        _ target: String,
        now: Int,
        hints: ClientHints
    ) throws(ServerError) -> (order: ThumbnailRequest, heedsTime: Bool) {
        guard target.utf8.count <= configuration.maximumBytes.bytes else {
            let most = configuration.maximumBytes
            throw ServerError(414, "Invalid URL", .invalidURL, "the path is longer than \(most)")
        }
        let path = try TargetPath(target, prefix: configuration.prefix)
        try configuration.signature.verify(path.signature, of: path.rest)
        var (order, heedsTime) = try order(rest: path.rest, now: now, hints: hints)
        order.purpose = path.purpose
        return (order, heedsTime)
    }

    /// Reads what follows a signature that is right.
    private func order(
        rest: String,
        now: Int,
        hints: ClientHints
    ) throws(ServerError) -> (order: ThumbnailRequest, heedsTime: Bool) {
        var options = OptionRun(configuration, now: now, hints: hints)
        try options.begin()
        var segments = PathSegments(rest)
        if configuration.onlyPresets {
            try options.applyPresets(segments.next() ?? "")
        } else {
            try options.apply(&segments)
        }
        let source = try SourceText(segments, configuration)
        if let name = source.format, !options.draft.order.isRaw {
            try options.applyFormat(name)
        }
        let text = configuration.rewriting.rewritten(source.text)
        try SourceKind.check(text, configuration)
        // Another way to name a source, and no way around the rules.
        if let fallback = options.draft.order.fallback { try SourceKind.check(fallback, configuration) }
        return (try options.draft.finished(source: text, configuration), options.heedsTime)
    }

    /// Reads all presets, so that a mistake in one is told at the start and not by each request.
    ///
    /// - Throws: What is wrong.
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

/// What a browser tells of the place where a picture will be shown (the fields `DPR` and `Width` of Client Hints).
public struct ClientHints: Hashable, Sendable {
    /// Pixels of the screen for one of the page, above 0 and up to 8; `nil` where it was not told.
    public var pixelRatio: Double?
    /// The width in pixels of the screen; `nil` where it was not told.
    public var width: Int?

    /// No hints.
    public static let none = ClientHints(pixelRatio: nil, width: nil)

    /// Creates hints from the values of header fields; what makes no sense says nothing.
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

/// The segments of a path, one after the other.
struct PathSegments {
    private var rest: Substring.UTF8View?

    init(_ path: String) {
        rest = Substring(path).utf8
    }

    /// What is left, slashes included; `nil` behind the last segment.
    var remainder: Substring? { rest.map { Substring($0) } }

    /// The next segment, which may be empty; `nil` behind the last one.
    func peek() -> Substring? {
        rest.map { Substring($0.prefix { $0 != UInt8(ascii: "/") }) }
    }

    /// Takes the next segment.
    mutating func next() -> Substring? {
        guard let rest else { return nil }
        let segment = rest.prefix { $0 != UInt8(ascii: "/") }
        self.rest = segment.endIndex == rest.endIndex ? nil : rest[segment.endIndex...].dropFirst()
        return Substring(segment)
    }
}
