internal import CalotypeCore

/// The name of a file as WordPress takes it.
struct WordPressFileName {
    /// The name in ASCII, with an extension that fits the type.
    let ascii: String
    /// The name in full, with such an extension.
    let full: String

    // The site tells the type by the extension, and refuses what it does not know. The first one is given to names without.
    private static let extensions = [
        "image/jpeg": ["jpg", "jpeg", "jpe"], "image/png": ["png"], "image/gif": ["gif"],
        "image/webp": ["webp"], "image/avif": ["avif"], "image/heic": ["heic", "heif"],
        "image/heif": ["heif", "heic"], "image/tiff": ["tif", "tiff"], "image/bmp": ["bmp"],
        "video/mp4": ["mp4", "m4v"], "video/quicktime": ["mov", "qt"], "video/webm": ["webm"],
        "video/ogg": ["ogv"], "video/x-matroska": ["mkv"], "video/x-msvideo": ["avi"],
        "audio/mpeg": ["mp3"], "audio/mp4": ["m4a", "m4b"], "audio/ogg": ["ogg", "oga"],
        "audio/wav": ["wav"], "audio/flac": ["flac"], "audio/aac": ["aac"], "application/pdf": ["pdf"],
    ]
    // The site adds up to some thirty bytes to the name, and file systems end at 255.
    private static let longest = 120

    init(_ medium: PreparedMedium) {
        let (stem, suffix) = Self.split(medium.name, medium.type)
        let end = suffix.isEmpty ? "" : ".\(suffix)"
        full = stem + end
        ascii = Self.plain(stem) + (suffix.isEmpty ? "" : ".\(Self.plain(suffix))")
    }

    /// The name without its extension, as a value of a URL's query.
    var escapedTitle: String {
        let stem = full.lastIndex(of: ".").map { full[..<$0] } ?? full[...]
        return Self.escaped(String(stem))
    }

    /// The `Content-Disposition` of RFC 6266.
    ///
    /// WordPress reads the first form only, cuts it at each semicolon and knows no escapes, so that it has neither.
    var disposition: String {
        "attachment; filename=\"\(ascii)\"; filename*=UTF-8''\(Self.escaped(full))"
    }

    private static func split(_ name: String, _ type: MediaType) -> (stem: String, suffix: String) {
        let dot = name.lastIndex(of: ".")
        let suffix = dot.map { String(name[name.index(after: $0)...]) } ?? ""
        let fitting = extensions[type.name] ?? [suffix.lowercased()]
        guard let dot, fitting.contains(suffix.lowercased()) else { return (name, fitting.first ?? "") }
        return (String(name[..<dot]), suffix)
    }

    /// `text` with one hyphen for whatever is no ASCII letter, digit, underscore or dot in between.
    private static func plain(_ text: String) -> String {
        let words = text.utf8.split { !isPlain($0) }
        let plain = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-").prefix(longest)
        return plain.isEmpty ? "file" : String(plain)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// `text` with everything percent-encoded but letters, digits and `-._~`, as both RFC 3986 and RFC 8187 allow it.
    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = text.utf8.flatMap { byte -> [UInt8] in
            guard !isPlain(byte), !"-.~".utf8.contains(byte) else { return [byte] }
            return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
