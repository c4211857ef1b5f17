internal import CalotypeCore

/// A file's media type, detected from the first bytes of the file.
public struct MediaType: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The kinds of media that servers treat differently.
    public enum Kind: String, Hashable, Sendable {
        case image, video, audio, other
    }

    /// The media type, such as `image/jpeg`.
    public let name: String

    /// Creates a media type from its name.
    public init(_ name: String) {
        self.name = name
    }

    /// The kind of media.
    public var kind: Kind {
        name.split(separator: "/").first.flatMap { Kind(rawValue: String($0)) } ?? .other
    }

    /// The name.
    public var description: String { name }
}

extension MediaType {
    /// The image format, or `nil` if the pipeline cannot read it.
    var imageFormat: ImageFormat? {
        ImageFormat.allCases.first { $0.mediaType == name && !$0.isOnlyRead }
    }
}

extension OutputFormat {
    /// The media type of the output; `nil` if it depends on the input.
    var mediaType: MediaType? {
        switch self {
        case .jpeg, .progressiveJPEG: MediaType(ImageFormat.jpeg.mediaType)
        case .png, .png16: MediaType(ImageFormat.png.mediaType)
        case .webp, .losslessWebP: MediaType(ImageFormat.webp.mediaType)
        case .avif: MediaType(ImageFormat.avif.mediaType)
        case .heic: MediaType(ImageFormat.heic.mediaType)
        case .jxl: MediaType(ImageFormat.jxl.mediaType)
        case .gif: MediaType(ImageFormat.gif.mediaType)
        case .tiff: MediaType(ImageFormat.tiff.mediaType)
        case .original, .suited, .custom: nil
        }
    }
}

/// Detects a file's media type from its first bytes.
package enum MediaSniffer {
    /// How many bytes are examined.
    package static let length = 4096

    /// Returns the type of a file that begins with `bytes`; `application/octet-stream` if none matches.
    package static func type(of bytes: [UInt8]) -> MediaType {
        for (offset, text, name) in signatures where has(bytes, text, at: offset) { return MediaType(name) }
        if has(bytes, Array("RIFF".utf8), at: 0) { return riff(bytes) }
        if has(bytes, Array("ftyp".utf8), at: 4) { return brand(bytes) }
        if has(bytes, [0x1A, 0x45, 0xDF, 0xA3], at: 0) { return matroska(bytes) }
        if bytes.count > 1, bytes[0] == 0xFF, bytes[1] & 0xE6 == 0xE2 { return MediaType("audio/mpeg") }
        return MediaType("application/octet-stream")
    }

    private static let signatures: [(Int, [UInt8], String)] = [
        (0, [0xFF, 0xD8, 0xFF], "image/jpeg"),
        (0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
        (0, Array("GIF8".utf8), "image/gif"),
        (0, [0x49, 0x49, 0x2A, 0x00], "image/tiff"),
        (0, [0x4D, 0x4D, 0x00, 0x2A], "image/tiff"),
        (0, [0x49, 0x49, 0x2B, 0x00], "image/tiff"),
        (0, [0x4D, 0x4D, 0x00, 0x2B], "image/tiff"),
        (0, [0x00, 0x00, 0x00, 0x0C, 0x4A, 0x58, 0x4C, 0x20], "image/jxl"),
        (0, [0xFF, 0x0A], "image/jxl"),
        (0, Array("ID3".utf8), "audio/mpeg"),
        (0, Array("fLaC".utf8), "audio/flac"),
        (0, Array("%PDF-".utf8), "application/pdf"),
        (0, [0x50, 0x4B, 0x03, 0x04], "application/zip"),
        (0, [0x00, 0x00, 0x01, 0xBA], "video/mpeg"),
        (0, [0x00, 0x00, 0x01, 0xB3], "video/mpeg"),
        (28, [0x01, 0x76, 0x6F, 0x72, 0x62, 0x69, 0x73], "audio/ogg"),
        (28, Array("OpusHead".utf8), "audio/ogg"),
        (0, Array("OggS".utf8), "video/ogg"),
    ]

    private static func riff(_ bytes: [UInt8]) -> MediaType {
        if has(bytes, Array("WEBP".utf8), at: 8) { return MediaType("image/webp") }
        if has(bytes, Array("WAVE".utf8), at: 8) { return MediaType("audio/wav") }
        if has(bytes, Array("AVI ".utf8), at: 8) { return MediaType("video/x-msvideo") }
        return MediaType("application/octet-stream")
    }

    /// Detects the type of an ISO base media file (ISO/IEC 14496-12) from its brands.
    ///
    /// The major brand has precedence.
    private static func brand(_ bytes: [UInt8]) -> MediaType {
        let end = min(
            Int(bytes[0]) << 24 | Int(bytes[1]) << 16 | Int(bytes[2]) << 8 | Int(bytes[3]),
            bytes.count
        )
        for start in [8] + Array(stride(from: 16, to: end, by: 4)) where start + 4 <= bytes.count {
            switch String(decoding: bytes[start..<start + 4], as: UTF8.self) {
            case "avif", "avis": return MediaType("image/avif")
            case "heic", "heix", "heim", "heis", "hevc", "hevx": return MediaType("image/heic")
            case "M4A ", "M4B ": return MediaType("audio/mp4")
            case "qt  ": return MediaType("video/quicktime")
            case "isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "M4V ", "dash":
                return MediaType("video/mp4")
            default: continue
            }
        }
        return MediaType("video/mp4")
    }

    private static func matroska(_ bytes: [UInt8]) -> MediaType {
        let head = String(decoding: bytes.prefix(64), as: UTF8.self)
        return MediaType(head.contains("webm") ? "video/webm" : "video/x-matroska")
    }

    private static func has(_ bytes: [UInt8], _ wanted: [UInt8], at offset: Int) -> Bool {
        bytes.count >= offset + wanted.count && bytes[offset..<offset + wanted.count].elementsEqual(wanted)
    }
}
