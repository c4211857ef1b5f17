import CalotypeCore
import FoundationEssentials

/// A source of an origin's pictures.
public protocol PictureServing: Sendable {
    /// The names, in the order of the lists; they may contain slashes.
    var names: [String] { get }

    /// Returns the picture called `name`, or `nil` if there is none.
    func picture(named name: String) async throws -> ServedPicture?

    /// Returns the picture called `name`, at most `side` pixels wide and high.
    ///
    /// Returns `nil` if there is none, or if making it costs as much as the full size. The default returns
    /// `nil`.
    func smallPicture(named name: String, side: Int) async throws -> ServedPicture?
}

extension PictureServing {
    /// Returns `nil`: the source has no cheaper way than the full size.
    public func smallPicture(named name: String, side: Int) async throws -> ServedPicture? { nil }
}

/// Pictures in memory, by name.
public struct PicturesInMemory: PictureServing {
    private let pictures: [String: ServedPicture]

    /// Creates a source of the encoded pictures in `files`.
    ///
    /// The extension determines the media type.
    public init(_ files: [String: [UInt8]]) {
        pictures = Dictionary(
            uniqueKeysWithValues: files.map { name, bytes in
                (name, ServedPicture(bytes: bytes, mediaType: ServedPicture.mediaType(ofName: name)))
            }
        )
    }

    /// The names, sorted.
    public var names: [String] { pictures.keys.sorted() }

    /// Returns the picture called `name`, or `nil` if there is none.
    public func picture(named name: String) async throws -> ServedPicture? {
        pictures[name]
    }
}

/// A picture as an origin serves it: its bytes and the fields of its response.
public struct ServedPicture: Hashable, Sendable {
    /// The encoded picture.
    public let bytes: [UInt8]
    /// The media type, such as `image/jpeg`.
    public let mediaType: String
    /// The strong entity tag, in quotes.
    ///
    /// Equal bytes have equal tags.
    public let entityTag: String
    /// The time of the last change, in seconds since the start of 1970.
    public let lastModified: Int
    /// The Cache-Control of its response, unless the request or the origin's configuration sets another.
    public let cacheControl: String?

    /// Creates a picture.
    ///
    /// - Parameters:
    ///   - bytes: the encoded picture.
    ///   - mediaType: the Content-Type.
    ///   - entityTag: in quotes; derived from `bytes` by default.
    ///   - lastModified: in seconds since the start of 1970; a day in 2023 by default.
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

    /// Returns the media type for a file's extension; `application/octet-stream` if it is unknown.
    static func mediaType(ofName name: String) -> String {
        let end = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        if end == "jpeg" { return ImageFormat.jpeg.mediaType }
        let format = ImageFormat.allCases.first { $0.fileExtension == end }
        return format?.mediaType ?? "application/octet-stream"
    }

    /// Computes FNV-1a over eight bytes at a time, and the length.
    private static func tag(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        unsafe bytes.withUnsafeBytes { buffer in
            for start in stride(from: 0, to: buffer.count, by: 8) {
                // The last word overlaps the one before. The length below distinguishes such files.
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
    /// Creates a JSON document.
    ///
    /// It is served like a picture: with a tag, conditional requests and faults.
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
