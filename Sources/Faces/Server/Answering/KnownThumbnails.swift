import Calotype
public import CalotypeCore
import CalotypeHTTPMessages
import CalotypeStore
import TaskFlow

/// Reads paths, and caches the results for frequent paths.
///
/// The meaning of a path depends on the path alone, unless it expires or the server uses client hints. Such
/// paths are read each time, as are refused ones.
final class KnownThumbnails: Sendable {
    /// The maximum number of cached paths, and their maximum size in total.
    private static let limits = MemoryCacheLimits(
        bytes: .mebibytes(12),
        count: 4_096,
        entryBytes: .kibibytes(8)
    )

    private let reader: PathReader
    private let kept = MemoryCache<String, ReadThumbnail>(
        limits: limits,
        cost: { thumbnail in
            // Path, request and names consist mainly of the source.
            ByteCount(2_048 + 5 * thumbnail.thumbnail.source.utf8.count)
        }
    )

    init(_ reader: PathReader) {
        self.reader = reader
    }

    /// The number of cached paths.
    var count: Int { kept.snapshot.count }

    /// Returns the result of ``PathReader/thumbnail(_:now:hints:)``.
    func thumbnail(_ target: String, now: Int, hints: ClientHints) throws(ServerError) -> ReadThumbnail {
        if hints == .none, let thumbnail = kept.valueAgain(for: target) { return thumbnail }
        let (thumbnail, heedsTime) = try reader.timedThumbnail(target, now: now, hints: hints)
        let read = ReadThumbnail(thumbnail)
        return heedsTime || hints != .none ? read : kept.store(read, for: target)
    }
}

/// A request read from a path, with values that are derived from it once.
final class ReadThumbnail: Sendable {
    let thumbnail: ThumbnailRequest
    /// The host of the source without its port, in lower case; empty if it has none.
    let host: String
    /// The source's name in the log.
    let sourceName = DerivedText()
    /// The last query, for the names that the next one for the same picture shares.
    private let query = Guarded<PictureQuery?>(nil)
    private let dispositions = Guarded<[ImageFormat?: String]>([:])

    init(_ thumbnail: ThumbnailRequest) {
        self.thumbnail = thumbnail
        host = Self.host(of: thumbnail.source)
    }

    /// The value of `Content-Disposition` for a result of `format`.
    func disposition(_ format: ImageFormat?) -> String {
        if let value = dispositions.withLock({ $0[format] }) { return value }
        let value = ContentDisposition(thumbnail, format: format).value
        dispositions.withLock { $0[format] = value }
        return value
    }

    /// Returns the query for `request`, which is made from this thumbnail.
    func query(for request: ImageRequest) -> PictureQuery {
        query.withLock { last in
            let query = PictureQuery(request, sharingNamesWith: last)
            last = query
            return query
        }
    }

    private static func host(of source: String) -> String {
        guard let start = source.firstRange(of: "://") else { return "" }
        let authority = source[start.upperBound...].prefix { !"/?#\\".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let end = host.lastIndex(of: ":").flatMap { host[$0...].contains("]") ? nil : $0 }
        return host[..<(end ?? host.endIndex)].lowercased()
    }
}

/// The `Content-Disposition` field: whether a browser shows or saves the image, and its name (RFC 6266).
public struct ContentDisposition: Hashable, Sendable {
    /// The value of the header field: ASCII without control characters.
    public let value: String

    /// Creates the field for `thumbnail` with a result of `format`; `nil` if the bytes are passed through.
    public init(_ thumbnail: ThumbnailRequest, format: ImageFormat?) {
        let stem =
            thumbnail.fileName ?? Self.name(of: thumbnail.source, withExtension: format == nil) ?? "image"
        let name = Self.shortened(stem) + (format.map { ".\($0.fileExtension)" } ?? "")
        let kind = thumbnail.isAttachment ? "attachment" : "inline"
        // Old browsers support only the first form.
        let encoded = PercentEscapes.encoded(name)
        let isPlain = name.utf8.allSatisfy { $0 < 0x80 }
        value =
            "\(kind); filename=\"\(Self.quoted(name))\"" + (isPlain ? "" : "; filename*=UTF-8''\(encoded)")
    }

    /// The maximum number of bytes in a name without its extension.
    private static let mostBytes = 200

    private static func shortened(_ stem: String) -> String {
        guard stem.utf8.count > mostBytes else { return stem }
        var stem = stem
        while stem.utf8.count > mostBytes { stem.removeLast() }
        return stem
    }

    /// The last segment of the path in `url`.
    private static func name(of url: String, withExtension: Bool) -> String? {
        guard SourceKind(of: url) != .data, let scheme = url.firstRange(of: "://") else { return nil }
        let path = url[scheme.upperBound...].utf8
            .prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard segments.count > 1, let last = segments.last, let bytes = PercentEscapes.decoded(last),
            let name = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let dot = withExtension ? nil : name.lastIndex(of: ".")
        let stem = name[..<(dot ?? name.endIndex)]
        return stem.isEmpty ? nil : String(stem)
    }

    /// Escapes `name` for use between quotes, so that it cannot end the quotes or the line.
    private static func quoted(_ name: String) -> String {
        PercentEscapes.encoded(name, keeping: " !#$&'()*+,/:;<=>?@[]^`{|}")
    }
}
