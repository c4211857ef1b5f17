/// Creates file names that any server accepts.
package enum MediaName {
    private static let longest = 200
    private static let joiners: [Unicode.Scalar] = ["\u{200C}", "\u{200D}"]

    /// Returns the last component of `name`, in a form that any server accepts.
    ///
    /// Control characters are removed, except the joiners that emoji and scripts such as Persian need. The name is
    /// cut to 200 bytes without losing its extension, and the extension fits `type`.
    package static func cleaned(_ name: String, type: MediaType) -> String {
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        var scalars = String.UnicodeScalarView()
        for scalar in last.unicodeScalars where !isControl(scalar) {
            // No ASCII character can be joined to the next.
            if joiners.contains(scalar), scalars.last.map({ $0.isASCII }) ?? true { continue }
            scalars.append(scalar)
        }
        let text = String(scalars).drop { $0 == "." || $0 == " " }
        let (stem, ending) = parts(text.isEmpty ? "media" : String(text))
        return cut(stem, longest - ending.utf8.count - 1) + "." + fitting(ending, type)
    }

    /// Splits a name into stem and extension, such as `photo` and `jpg`.
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
        guard text.isEmpty else { return text }
        // One character with many accents can be longer than the limit.
        return "media"
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format: !joiners.contains(scalar)
        case .control, .surrogate, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// The extensions of file names.
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

    /// Returns the extensions for files of `type`, the usual one first; empty if the type is unknown.
    static func all(of type: MediaType) -> [String] { known[type.name] ?? [] }

    /// Returns the usual extension for `type`.
    ///
    /// For an unknown type, the result is the extension of `name` if it is plain, and otherwise `bin`.
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
