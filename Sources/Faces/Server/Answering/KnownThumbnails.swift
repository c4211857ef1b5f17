import Calotype
public import CalotypeCore
import CalotypeHTTPMessages
import CalotypeStore
import TaskFlow

/// Reads paths, those that are asked for often once.
///
/// What a path means follows from the path alone, unless it expires or a browser's hints are heeded; such ones are read each
/// time, as are those that are refused.
final class KnownThumbnails: Sendable {
    /// The most paths that are kept, and the most bytes that they may have in all.
    private static let limits = MemoryCacheLimits(
        bytes: .mebibytes(8),
        count: 4_096,
        entryBytes: .kibibytes(8)
    )

    private let reader: PathReader
    private let kept = MemoryCache<String, ReadThumbnail>(
        limits: limits,
        cost: { order in
            // An order has little but its source, which the path has too.
            ByteCount(1_024 + 2 * order.order.source.utf8.count)
        }
    )

    init(_ reader: PathReader) {
        self.reader = reader
    }

    /// The number of paths that are kept.
    var count: Int { kept.snapshot.count }

    /// What ``PathReader/order(_:now:hints:)`` gives.
    func order(_ target: String, now: Int, hints: ClientHints) throws(ServerError) -> ReadThumbnail {
        if hints == .none, let order = kept.valueAgain(for: target) { return order }
        let (order, heedsTime) = try reader.timedOrder(target, now: now, hints: hints)
        let read = ReadThumbnail(order)
        return heedsTime || hints != .none ? read : kept.store(read, for: target)
    }
}

/// An order that was read from a path, with what is found out about it once.
final class ReadThumbnail: Sendable {
    let order: ThumbnailRequest
    /// The host of the source without its port, in lower case; nothing for what has none.
    let host: String
    /// What the log calls the source.
    let sourceName = DerivedText()
    private let dispositions = Guarded<[ImageFormat?: String]>([:])

    init(_ order: ThumbnailRequest) {
        self.order = order
        host = Self.host(of: order.source)
    }

    /// The value of `Content-Disposition` for a result of `format`.
    func disposition(_ format: ImageFormat?) -> String {
        if let value = dispositions.withLock({ $0[format] }) { return value }
        let value = ContentDisposition(order, format: format).value
        dispositions.withLock { $0[format] = value }
        return value
    }

    private static func host(of source: String) -> String {
        guard let start = source.firstRange(of: "://") else { return "" }
        let authority = source[start.upperBound...].prefix { !"/?#\\".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let end = host.lastIndex(of: ":").flatMap { host[$0...].contains("]") ? nil : $0 }
        return host[..<(end ?? host.endIndex)].lowercased()
    }
}

/// What a browser is told to do with a picture, and how it is called (RFC 6266).
public struct ContentDisposition: Hashable, Sendable {
    /// The value of the header field: ASCII without control characters.
    public let value: String

    /// Creates the field for `order`, answered as `format`; `nil` where the bytes are passed on whatever they are.
    public init(_ order: ThumbnailRequest, format: ImageFormat?) {
        let stem = order.fileName ?? Self.name(of: order.source, withExtension: format == nil) ?? "image"
        let name = Self.shortened(stem) + (format.map { ".\($0.fileExtension)" } ?? "")
        let kind = order.isAttachment ? "attachment" : "inline"
        // Old browsers take the first form only.
        let encoded = PercentEscapes.encoded(name)
        let isPlain = name.utf8.allSatisfy { $0 < 0x80 }
        value =
            "\(kind); filename=\"\(Self.quoted(name))\"" + (isPlain ? "" : "; filename*=UTF-8''\(encoded)")
    }

    /// The most bytes of a name without its extension.
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

    /// `name` as it stands between quotes: what could end them, or the line, is escaped.
    private static func quoted(_ name: String) -> String {
        PercentEscapes.encoded(name, keeping: " !#$&'()*+,/:;<=>?@[]^`{|}")
    }
}
