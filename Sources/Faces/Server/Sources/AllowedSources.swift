public import CalotypeHTTP

/// The sources that a server may ask; all of them where the list is empty.
///
/// Patterns are compared with the parts of a parsed URL, never with its text, so that `http://allowed.com` is neither
/// `http://allowed.com@evil` nor `http://allowed.com.evil`.
public struct AllowedSources: Hashable, Sendable {
    private let patterns: [SourcePattern]

    /// Allows everything.
    public init() {
        patterns = []
    }

    /// Allows what one of `patterns` describes: `SCHEME://HOST[:PORT][/PATH]`, `local:///PATH` or `data:`.
    ///
    /// An asterisk stands for any text within one label of a host's name or one segment of a path. A port that is not
    /// named is the scheme's own, and `*` any. A path allows all that lies below it.
    ///
    /// - Throws: Which pattern makes no sense.
    public init(_ patterns: [String]) throws(PathConfigurationError) {
        var all: [SourcePattern] = []
        for pattern in patterns { all.append(try SourcePattern(pattern)) }
        self.patterns = all
    }

    /// Whether everything is allowed.
    public var isEmpty: Bool { patterns.isEmpty }
    /// Whether pictures may come in `data:` URLs.
    public var allowsData: Bool { isEmpty || patterns.contains { $0.allowsData } }

    /// Whether `url` may be asked.
    public func allows(_ url: WebURL) -> Bool {
        guard !isEmpty else { return true }
        let parts = SourcePattern.Parts(url)
        return patterns.contains { $0.matches(parts) }
    }

    /// Whether the file at `path` may be read.
    public func allows(_ path: LocalPath) -> Bool {
        isEmpty || patterns.contains { $0.matches(path) }
    }
}
