/// The ending of a file's name.
enum FileExtension {
    private static let known = [
        "image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp",
        "image/avif": "avif",
        "image/heic": "heic", "image/heif": "heif", "image/tiff": "tiff", "image/svg+xml": "svg",
        "image/jxl": "jxl", "video/mp4": "mp4", "video/quicktime": "mov", "video/webm": "webm",
        "video/x-matroska": "mkv", "audio/mpeg": "mp3", "audio/mp4": "m4a", "audio/ogg": "ogg",
        "audio/flac": "flac", "audio/wav": "wav", "application/pdf": "pdf",
    ]

    /// The ending that fits `type`; of others that of `name`, if it is a plain one; else `bin`.
    static func of(_ type: MediaType, name: String) -> String {
        if let known = known[type.name] { return known }
        guard let dot = name.lastIndex(of: ".") else { return "bin" }
        let ending = name[name.index(after: dot)...].lowercased()
        let isPlain = ending.utf8.allSatisfy { byte in
            "abcdefghijklmnopqrstuvwxyz0123456789".utf8.contains(byte)
        }
        return isPlain && (1...8).contains(ending.utf8.count) ? ending : "bin"
    }
}
