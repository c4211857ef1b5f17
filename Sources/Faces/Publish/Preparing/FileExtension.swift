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
