public import CalotypeCore

/// What a browser is told to do with a picture, and how it is called (RFC 6266).
public struct ContentDisposition: Hashable, Sendable {
    /// The value of the header field: ASCII without control characters.
    public let value: String

    /// Creates the field for `order`, answered as `format`; `nil` where the bytes are passed on whatever they are.
    public init(_ order: ImageOrder, format: ImageFormat?) {
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
