internal import CalotypeCore
public import CalotypeHTTP

/// The sources that a server may request; all of them if the list is empty.
///
/// Patterns are compared with the parts of a parsed URL, never with its text. `http://allowed.com` therefore
/// matches neither `http://allowed.com@evil` nor `http://allowed.com.evil`.
public struct AllowedSources: Hashable, Sendable {
    private let patterns: [SourcePattern]

    /// Creates a list that allows all sources.
    public init() {
        patterns = []
    }

    /// Creates a list of patterns: `SCHEME://HOST[:PORT][/PATH]`, `local:///PATH` or `data:`.
    ///
    /// An asterisk matches any text within one label of a host name or one segment of a path. Without a port,
    /// a pattern matches the scheme's default port; `*` matches any. A path allows everything below it.
    ///
    /// - Throws: An error that names the invalid pattern.
    public init(_ patterns: [String]) throws(ServerError) {
        var all: [SourcePattern] = []
        for pattern in patterns { all.append(try SourcePattern(pattern)) }
        self.patterns = all
    }

    /// Whether all sources are allowed.
    public var isEmpty: Bool { patterns.isEmpty }
    /// Whether `data:` URLs are allowed.
    public var allowsData: Bool { isEmpty || patterns.contains { $0.allowsData } }

    /// Whether `url` may be requested.
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

/// A pattern from the list of allowed sources.
struct SourcePattern: Hashable, Sendable {
    /// A URL in the form that patterns compare.
    struct Parts {
        let scheme: String
        let labels: [Substring]
        let port: Int
        /// The segments after the first slash, decoded; `nil` if one of them could lead elsewhere.
        let segments: [[UInt8]]?

        init(_ url: WebURL) {
            scheme = url.scheme.rawValue
            labels = Self.labels(url.host)
            port = Int(url.port)
            let rest = url.text.utf8.dropFirst(url.scheme.rawValue.utf8.count + 3)
            let path = rest.drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            segments = Self.segments(path.prefix { $0 != UInt8(ascii: "?") })
        }

        /// Splits `host` at its dots; an IPv6 address is one label.
        static func labels(_ host: String) -> [Substring] {
            host.contains(":") ? [host[...]] : host.split(separator: ".", omittingEmptySubsequences: false)
        }

        static func segments(_ path: Substring.UTF8View) -> [[UInt8]]? {
            var segments: [[UInt8]] = []
            for part in path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            {
                guard let bytes = PercentEscapes.decoded(part), isPlain(bytes) else { return nil }
                segments.append(bytes)
            }
            return segments
        }

        /// Whether a server that decodes the segment stays below the folder.
        private static func isPlain(_ segment: [UInt8]) -> Bool {
            !segment.elementsEqual(".".utf8) && !segment.elementsEqual("..".utf8)
                && !segment.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        }
    }

    private enum Place: Hashable {
        case web(scheme: String, labels: [Wildcard], port: Int?)
        case local, data
    }

    private let place: Place
    /// The first segments of a matching path.
    private let path: [Wildcard]
    /// Whether a further segment must follow, because the pattern ends in a slash.
    private let isFolder: Bool

    init(_ text: String) throws(ServerError) {
        guard let colon = text.firstIndex(of: ":") else { throw Self.invalid(text, "it has no scheme") }
        let scheme = text[..<colon].lowercased()
        let rest = text[text.index(after: colon)...]
        var path: [Wildcard] = []
        switch scheme {
        case "data": place = .data
        case "local":
            guard rest == "//" || rest.hasPrefix("///") else {
                throw Self.invalid(text, "use local:///PATH")
            }
            place = .local
            path = try Self.path(rest.dropFirst(2), text)
        case "http", "https":
            guard rest.hasPrefix("//") else { throw Self.invalid(text, "use \(scheme)://HOST") }
            let authority = rest.dropFirst(2).prefix { $0 != "/" }
            place = try Self.web(scheme, authority, text)
            path = try Self.path(rest[authority.endIndex...], text)
        default: throw Self.invalid(text, "the scheme must be http, https, local or data")
        }
        isFolder = path.last?.isEmpty == true
        self.path = isFolder ? path.dropLast() : path
    }

    /// Whether the pattern matches `data:` URLs.
    var allowsData: Bool { place == .data }

    func matches(_ url: Parts) -> Bool {
        guard case .web(let scheme, let labels, let port) = place else { return false }
        return scheme == url.scheme && (port ?? url.port) == url.port && labels.count == url.labels.count
            && zip(labels, url.labels).allSatisfy { $0.matches(Array($1.utf8)) }
            && matches(path: url.segments)
    }

    func matches(_ file: LocalPath) -> Bool {
        place == .local && matches(path: file.components.map { Array($0.utf8) })
    }

    private func matches(path segments: [[UInt8]]?) -> Bool {
        guard !path.isEmpty else { return true }
        guard let segments, segments.count >= path.count + (isFolder ? 1 : 0) else { return false }
        return zip(path, segments).allSatisfy { $0.matches($1) }
    }

    // MARK: - Reading

    private static func web(
        _ scheme: String,
        _ authority: Substring,
        _ text: String
    ) throws(ServerError) -> Place {
        guard !authority.contains(where: { "@?#\\".contains($0) }) else {
            throw invalid(text, "it has more than a host and a path")
        }
        // The colons of an IPv6 address are in brackets.
        let end = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[end...].lastIndex(of: ":") else {
            return .web(
                scheme: scheme,
                labels: try labels(authority, text),
                port: scheme == "http" ? 80 : 443
            )
        }
        let digits = authority[authority.index(after: colon)...]
        let port = digits == "*" ? nil : Int(digits)
        guard digits == "*" || port.map((1...65_535).contains) == true else {
            throw invalid(text, "its port is not a number")
        }
        return .web(scheme: scheme, labels: try labels(authority[..<colon], text), port: port)
    }

    private static func labels(
        _ host: Substring,
        _ text: String
    ) throws(ServerError) -> [Wildcard] {
        guard host.contains("*") else {
            guard let url = try? WebURL("http://\(host)/") else { throw invalid(text, "it has no host") }
            return Parts.labels(url.host).map { Wildcard($0) }
        }
        var labels: [Wildcard] = []
        for label in (host.hasSuffix(".") ? host.dropLast() : host).split(
            separator: ".",
            omittingEmptySubsequences: false
        ) {
            labels.append(Wildcard(Substring(try Self.label(label, text))))
        }
        return labels
    }

    /// Normalises one label of a host with asterisks, as in a parsed URL.
    private static func label(_ label: Substring, _ text: String) throws(ServerError) -> String {
        if label.utf8.allSatisfy({ $0 < 0x80 }) {
            let label = label.lowercased()
            guard !label.isEmpty, label.utf8.allSatisfy(isOfLabels) else {
                throw invalid(text, "it has no host")
            }
            return label
        }
        guard !label.contains("*"), let url = try? WebURL("http://\(label)/") else {
            throw invalid(text, "its host name is not valid")
        }
        return url.host
    }

    private static func isOfLabels(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || "-_*".utf8.contains(byte)
    }

    private static func path(
        _ path: Substring,
        _ text: String
    ) throws(ServerError) -> [Wildcard] {
        guard !path.contains(where: { $0 == "?" || $0 == "#" }) else { throw invalid(text, "it has a query") }
        guard let segments = Parts.segments(path.utf8) else {
            throw invalid(text, "its path contains . or ..")
        }
        return segments.map { Wildcard($0) }
    }

    private static func invalid(_ text: String, _ reason: String) -> ServerError {
        ServerError.configuration("'\(text)' is not a valid pattern of allowed sources: \(reason)")
    }
}

/// A text in which asterisks match any text.
struct Wildcard: Hashable, Sendable {
    private let texts: [[UInt8]]

    init(_ text: Substring) {
        self.init(Array(text.utf8))
    }

    init(_ bytes: [UInt8]) {
        texts = bytes.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
    }

    /// Whether the pattern is the empty text.
    var isEmpty: Bool { texts == [[]] }

    /// Whether all of `bytes` matches.
    func matches(_ bytes: [UInt8]) -> Bool {
        guard texts.count > 1 else { return bytes == texts[0] }
        let ends = texts[0].count + texts[texts.count - 1].count
        guard bytes.count >= ends, bytes.starts(with: texts[0]),
            bytes.suffix(texts[texts.count - 1].count).elementsEqual(texts[texts.count - 1])
        else { return false }
        // Between asterisks, the first match of each text is as good as any other.
        var rest = bytes.dropFirst(texts[0].count).dropLast(texts[texts.count - 1].count)
        for text in texts.dropFirst().dropLast() {
            guard let place = rest.firstRange(of: text) else { return false }
            rest = rest[place.upperBound...]
        }
        return true
    }
}
