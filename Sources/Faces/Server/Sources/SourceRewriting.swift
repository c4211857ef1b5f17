/// What becomes of the sources of paths before they are used.
public struct SourceRewriting: Hashable, Sendable {
    /// What is put before a source that does not begin with it; nothing by default.
    ///
    /// Where it has a host and no path, a slash is put between, so that what a path says can never become part of the
    /// host's name.
    public var baseURL: String
    /// What is replaced in sources, one after the other.
    public var replacements: [URLReplacement]

    /// Creates a rewriting.
    public init(baseURL: String = "", replacements: [URLReplacement] = []) {
        self.baseURL = baseURL
        self.replacements = replacements
    }

    /// The source that `url` becomes.
    func rewritten(_ url: String) -> String {
        var url = url
        for replacement in replacements { url = replacement.applied(to: url) }
        guard !baseURL.isEmpty else { return url }
        guard endsWithHost else { return url.utf8.starts(with: baseURL.utf8) ? url : baseURL + url }
        let rest = url.utf8.dropFirst(baseURL.utf8.count).first
        if url.utf8.starts(with: baseURL.utf8), rest == nil || rest.map("/?#".utf8.contains) == true {
            return url
        }
        return baseURL + (url.utf8.first.map("/?#".utf8.contains) == true ? url : "/" + url)
    }

    /// Whether the base is a scheme and a host, and what follows would make the host longer.
    private var endsWithHost: Bool {
        guard let colon = baseURL.firstRange(of: "://") else { return false }
        let host = baseURL[colon.upperBound...]
        return !host.isEmpty && !host.contains("/")
    }
}
