internal import CalotypeCore

/// The name of a file as WordPress takes it.
struct WordPressFileName {
    /// The name in full.
    let full: String
    /// The name in ASCII, with the same extension: by it WordPress tells the type, and refuses what it does not know.
    let ascii: String

    // WordPress adds up to some thirty bytes to the name, and file systems end at 255.
    private static let longest = 120

    init(_ medium: PreparedMedium) {
        full = medium.name
        let (stem, suffix) = Self.split(full)
        ascii =
            Self.plain(stem, otherwise: "file")
            + (suffix.isEmpty ? "" : "." + Self.plain(suffix, otherwise: "bin"))
    }

    /// The name without its extension, as a value of a URL's query.
    var escapedTitle: String { PercentEscapes.encoded(String(Self.split(full).stem)) }

    /// The `Content-Disposition` of RFC 6266.
    ///
    /// WordPress reads the first form only, cuts it at each semicolon and knows no escapes, so that it has neither.
    var disposition: String {
        "attachment; filename=\"\(ascii)\"; filename*=UTF-8''\(PercentEscapes.encoded(full))"
    }

    private static func split(_ name: String) -> (stem: Substring, suffix: Substring) {
        guard let dot = name.lastIndex(of: ".") else { return (name[...], "") }
        return (name[..<dot], name[name.index(after: dot)...])
    }

    /// The ASCII letters, digits and underscores of `text`, with one hyphen for whatever is between them.
    private static func plain(_ text: Substring, otherwise: String) -> String {
        let words = text.utf8.split { !isPlain($0) }
        let plain = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
        return plain.isEmpty ? otherwise : String(plain.prefix(longest))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
