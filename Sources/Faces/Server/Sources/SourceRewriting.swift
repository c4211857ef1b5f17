/// The rewriting of sources from paths before they are used.
public struct SourceRewriting: Hashable, Sendable {
    /// The prefix for sources that do not start with it; empty by default.
    ///
    /// If it has a host and no path, a slash is inserted, so that text from a path can never become part of
    /// the host name.
    public var baseURL: String
    /// The replacements in sources, applied in order.
    public var replacements: [URLReplacement]

    /// Creates a rewriting.
    public init(baseURL: String = "", replacements: [URLReplacement] = []) {
        self.baseURL = baseURL
        self.replacements = replacements
    }

    /// Returns the source for `url`.
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

    /// Whether the base is only a scheme and a host, so that text after it would extend the host.
    private var endsWithHost: Bool {
        guard let colon = baseURL.firstRange(of: "://") else { return false }
        let host = baseURL[colon.upperBound...]
        return !host.isEmpty && !host.contains("/")
    }
}

/// A replacement for the start of a URL.
public struct URLReplacement: Hashable, Sendable {
    private enum Piece: Hashable {
        case text([UInt8])
        /// The text that an asterisk matched, by its number counted from 0.
        case match(Int)
    }

    /// The texts between the asterisks of the pattern.
    private let texts: [[UInt8]]
    private let pieces: [Piece]

    /// Creates a replacement.
    ///
    /// - Parameters:
    ///   - pattern: The start of a URL; `*` matches any text without slashes, as long as possible.
    ///   - replacement: The new start; `${1}` and `$1` are the text that the first asterisk matched.
    public init(_ pattern: String, with replacement: String) {
        texts = pattern.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(
            Array.init
        )
        pieces = Self.pieces(Array(replacement.utf8))
    }

    /// Parses replacements such as `mys3://=s3://bucket/`, separated by `;`.
    ///
    /// - Throws: An error that names an entry that is not PATTERN=REPLACEMENT.
    public static func list(_ text: String) throws(ServerError) -> [URLReplacement] {
        var all: [URLReplacement] = []
        for entry in text.split(separator: ";") {
            let halves = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, !halves[0].isEmpty else {
                throw ServerError.configuration("the replacement '\(entry)' is not PATTERN=REPLACEMENT")
            }
            all.append(URLReplacement(String(halves[0]), with: String(halves[1])))
        }
        return all
    }

    /// Returns `url` with its start replaced, if the pattern matches.
    func applied(to url: String) -> String {
        let bytes = Array(url.utf8)
        guard let (matches, end) = match(bytes) else { return url }
        var result: [UInt8] = []
        for piece in pieces {
            switch piece {
            case .text(let text): result += text
            case .match(let number): if matches.indices.contains(number) { result += bytes[matches[number]] }
            }
        }
        return String(decoding: result + bytes[end...], as: UTF8.self)
    }

    /// Returns the texts that the asterisks match, and the end of the match.
    ///
    /// From the last text to the first, a table records where the rest of the pattern can start, so that
    /// nothing is tried twice.
    private func match(_ bytes: [UInt8]) -> ([Range<Int>], end: Int)? {
        var starts: [[Int?]] = []
        var next: [Int?]?
        for text in texts.dropFirst().reversed() {
            let table = lastStarts(of: text, next, bytes)
            starts.insert(table, at: 0)
            next = table
        }
        guard bytes.starts(with: texts[0]) else { return nil }
        var place = texts[0].count
        var matches: [Range<Int>] = []
        for (text, table) in zip(texts.dropFirst(), starts) {
            guard let start = table[place] else { return nil }
            matches.append(place..<start)
            place = start + text.count
        }
        return (matches, place)
    }

    /// For each place, the last start in the rest of its segment where `text` and the later pattern match.
    private func lastStarts(of text: [UInt8], _ next: [Int?]?, _ bytes: [UInt8]) -> [Int?] {
        var table = [Int?](repeating: nil, count: bytes.count + 1)
        var last: Int?
        for place in stride(from: bytes.count, through: 0, by: -1) {
            // An asterisk may match up to a slash, but not past it.
            if place < bytes.count, bytes[place] == UInt8(ascii: "/") { last = nil }
            let end = place + text.count
            if last == nil, end <= bytes.count, bytes[place...].starts(with: text),
                next.map({ $0[end] != nil }) ?? true
            {
                last = place
            }
            table[place] = last
        }
        return table
    }

    private static func pieces(_ text: [UInt8]) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text[...]
        while let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
            pieces.append(.text(Array(rest[..<dollar])))
            let (number, length) = reference(rest[dollar...].dropFirst())
            pieces.append(number.map { .match($0 - 1) } ?? .text(Array(rest[dollar...dollar])))
            rest = rest[(dollar + 1 + length)...]
        }
        pieces.append(.text(Array(rest)))
        return pieces
    }

    /// Parses the number in `{1}` or `1`.
    ///
    /// Returns it with its length in bytes, or `nil` if there is no number.
    private static func reference(_ text: ArraySlice<UInt8>) -> (number: Int?, length: Int) {
        let isBraced = text.first == UInt8(ascii: "{")
        let digits = text.dropFirst(isBraced ? 1 : 0).prefix { (0x30...0x39).contains($0) }
        guard let number = Int(String(decoding: digits, as: UTF8.self)), number > 0, number < 100 else {
            return (nil, 0)
        }
        guard isBraced else { return (number, digits.count) }
        return text[digits.endIndex...].first == UInt8(ascii: "}") ? (number, digits.count + 2) : (nil, 0)
    }
}
