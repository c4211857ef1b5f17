/// Makes names that any server can be told.
package enum MediaName {
    private static let longest = 200

    /// The last part of `name` without control characters, cut to 200 bytes with its extension kept, and with an
    /// extension that fits `type`.
    package static func cleaned(_ name: String, type: MediaType) -> String {
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: last.unicodeScalars.filter { !isControl($0) })
        let text = String(scalars).drop { $0 == "." || $0 == " " }
        let (stem, ending) = parts(text.isEmpty ? "media" : String(text))
        return cut(stem, longest - ending.utf8.count - 1) + "." + fitting(ending, type)
    }

    /// Such as `photo` and `jpg`.
    private static func parts(_ name: String) -> (stem: String, ending: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
        let ending = name[name.index(after: dot)...]
        guard (1...8).contains(ending.utf8.count),
            ending.utf8.allSatisfy({ $0 >= 48 && $0 < 58 || $0 | 32 >= 97 && $0 | 32 < 123 })
        else { return (name, "") }
        return (String(name[..<dot]), String(ending))
    }

    private static func fitting(_ ending: String, _ type: MediaType) -> String {
        let known = FileExtension.all(of: type)
        guard let usual = known.first else { return ending.isEmpty ? "bin" : ending }
        return known.contains(ending.lowercased()) ? ending : usual
    }

    private static func cut(_ text: String, _ limit: Int) -> String {
        var text = text
        while text.utf8.count > limit { text.removeLast() }
        return text
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// The ending of a file's name.
enum FileExtension {
    private static let known: [String: [String]] = [
        "image/jpeg": ["jpg", "jpeg", "jpe"], "image/png": ["png"], "image/gif": ["gif"],
        "image/webp": ["webp"], "image/avif": ["avif"], "image/heic": ["heic", "heif"],
        "image/heif": ["heif", "heic"], "image/tiff": ["tiff", "tif"], "image/svg+xml": ["svg"],
        "image/jxl": ["jxl"], "video/mp4": ["mp4", "m4v"], "video/quicktime": ["mov", "qt"],
        "video/webm": ["webm"], "video/x-matroska": ["mkv"], "video/ogg": ["ogv", "ogg"],
        "video/mpeg": ["mpg", "mpeg"], "video/x-msvideo": ["avi"], "audio/mpeg": ["mp3"],
        "audio/mp4": ["m4a", "m4b"], "audio/ogg": ["ogg", "oga", "opus"], "audio/flac": ["flac"],
        "audio/wav": ["wav"], "application/pdf": ["pdf"],
    ]

    /// The endings that files of `type` have, the usual one first; none where that is not known.
    static func all(of type: MediaType) -> [String] { known[type.name] ?? [] }

    /// The ending that fits `type`; of others that of `name`, if it is a plain one; else `bin`.
    static func of(_ type: MediaType, name: String) -> String {
        if let usual = all(of: type).first { return usual }
        guard let dot = name.lastIndex(of: ".") else { return "bin" }
        let ending = name[name.index(after: dot)...].lowercased()
        let isPlain = ending.utf8.allSatisfy { byte in
            "abcdefghijklmnopqrstuvwxyz0123456789".utf8.contains(byte)
        }
        return isPlain && (1...8).contains(ending.utf8.count) ? ending : "bin"
    }
}
