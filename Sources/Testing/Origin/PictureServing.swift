import CalotypeCore
import FoundationEssentials

/// Where an origin takes its pictures from.
public protocol PictureServing: Sendable {
    /// The names, in the order of the lists; they may contain slashes.
    var names: [String] { get }

    /// The picture called `name`; `nil` where there is none.
    func picture(named name: String) async throws -> ServedPicture?

    /// The picture called `name`, at most `side` pixels wide and high; `nil` where there is none, or where the source
    /// has no cheaper way to it than its full size, as by default.
    func smallPicture(named name: String, side: Int) async throws -> ServedPicture?
}

extension PictureServing {
    /// `nil`: there is no cheaper way than the full size.
    public func smallPicture(named name: String, side: Int) async throws -> ServedPicture? { nil }
}

/// Pictures in memory, by name.
public struct PicturesInMemory: PictureServing {
    private let pictures: [String: ServedPicture]

    /// Creates a source of the encoded pictures in `files`; the end of a name tells the media type.
    public init(_ files: [String: [UInt8]]) {
        pictures = Dictionary(
            uniqueKeysWithValues: files.map { name, bytes in
                (name, ServedPicture(bytes: bytes, mediaType: ServedPicture.mediaType(ofName: name)))
            }
        )
    }

    /// The names, sorted.
    public var names: [String] { pictures.keys.sorted() }

    /// The picture called `name`; `nil` where there is none.
    public func picture(named name: String) async throws -> ServedPicture? {
        pictures[name]
    }
}

/// A picture as an origin serves it: its bytes and what their response says about them.
public struct ServedPicture: Hashable, Sendable {
    /// The encoded picture.
    public let bytes: [UInt8]
    /// The media type, such as `image/jpeg`.
    public let mediaType: String
    /// The strong entity tag, in quotes; the same bytes have the same tag.
    public let entityTag: String
    /// When it changed last, in seconds since the start of 1970.
    public let lastModified: Int
    /// What its response says in Cache-Control where neither the request nor the origin's configuration want another
    /// text.
    public let cacheControl: String?

    /// Creates a picture.
    ///
    /// - Parameters:
    ///   - bytes: the encoded picture.
    ///   - mediaType: what the Content-Type says.
    ///   - entityTag: in quotes; made from `bytes` where none is given.
    ///   - lastModified: in seconds since the start of 1970; a day in 2023 where none is given.
    ///   - cacheControl: such as `max-age=60`; nothing by default.
    public init(
        bytes: [UInt8],
        mediaType: String,
        entityTag: String? = nil,
        lastModified: Int = 1_700_000_000,
        cacheControl: String? = nil
    ) {
        self.bytes = bytes
        self.mediaType = mediaType
        self.lastModified = lastModified
        self.cacheControl = cacheControl
        self.entityTag = entityTag ?? Self.tag(bytes)
    }

    /// The media type for a file name by its end; `application/octet-stream` for an end that is not known.
    static func mediaType(ofName name: String) -> String {
        let end = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        if end == "jpeg" { return ImageFormat.jpeg.mediaType }
        let format = ImageFormat.allCases.first { $0.fileExtension == end }
        return format?.mediaType ?? "application/octet-stream"
    }

    /// FNV-1a over eight bytes at a time, with the length.
    private static func tag(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        unsafe bytes.withUnsafeBytes { buffer in
            for start in stride(from: 0, to: buffer.count, by: 8) {
                // The last word overlaps the one before; the length below tells such files apart.
                let offset = max(0, min(start, buffer.count - 8))
                let word =
                    unsafe buffer.count < 8
                    ? buffer.reduce(0) { $0 << 8 | UInt64($1) }
                    : buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                hash = (hash ^ word) &* 0x100_0000_01b3
                hash ^= hash >> 29
            }
        }
        return "\"\(String(hash, radix: 16))-\(String(bytes.count, radix: 16))\""
    }
}

extension ServedPicture {
    /// A JSON document, which is served as a picture is: with a tag, conditional requests and faults.
    static func json(_ value: some Encodable, cacheControl: String? = nil) throws -> ServedPicture {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return ServedPicture(
            bytes: Array(try encoder.encode(value)) + [UInt8(ascii: "\n")],
            mediaType: "application/json; charset=utf-8",
            cacheControl: cacheControl
        )
    }
}
