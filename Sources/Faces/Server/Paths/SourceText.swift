internal import CalotypeCore

/// The end of a path: where the picture is, and the extension that names a format.
struct SourceText: Hashable, Sendable {
    /// The URL as it was meant, before any rewriting.
    let text: String
    /// The extension; `nil` where there is none.
    let format: String?

    /// Reads what `segments` has left.
    init(_ segments: PathSegments, _ configuration: PathConfiguration) throws(RequestRefusal) {
        guard let rest = segments.remainder else { throw Self.empty }
        var segments = segments
        switch segments.next() {
        case "plain":
            if let plain = segments.remainder {
                self = try Self.plain(plain)
                return
            }
        case "enc": if segments.remainder != nil { throw .unsupported("an encrypted source is") }
        case "-": throw .unsupported("a chain of pipelines is")
        default: break
        }
        self = try Self.encoded(rest, configuration)
    }

    private init(text: String, format: Substring?) throws(RequestRefusal) {
        guard !text.isEmpty else { throw Self.empty }
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw .invalid("the source has a control character")
        }
        self.text = text
        self.format = format.flatMap { $0.isEmpty ? nil : String($0) }
    }

    private static let empty = RequestRefusal.invalid("the source is empty")

    /// Reads a percent-encoded URL and what follows its `@`.
    private static func plain(_ text: Substring) throws(RequestRefusal) -> SourceText {
        let (url, format) = try halves(text.utf8, UInt8(ascii: "@"))
        guard let bytes = PercentEscapes.decoded(url) else {
            throw .invalid("the source has a percent sign without two hexadecimal digits")
        }
        return try SourceText(text: Self.text(bytes), format: format)
    }

    /// Reads a URL in Base64, in one segment or several, and what follows its dot.
    private static func encoded(
        _ text: Substring,
        _ configuration: PathConfiguration
    ) throws(RequestRefusal) -> SourceText {
        var text = text.utf8
        if configuration.base64IncludesFileName, let slash = text.lastIndex(of: UInt8(ascii: "/")) {
            text = text[..<slash]
        }
        let joined = String(decoding: text.filter { $0 != UInt8(ascii: "/") }, as: UTF8.self)
        let (digits, format) = try halves(Substring(joined).utf8, UInt8(ascii: "."))
        guard let bytes = Base64URL.bytes(Base64URL.withoutPadding(Substring(digits))) else {
            throw .invalid(
                "the source \(RequestRefusal.quoted(String(decoding: text, as: UTF8.self))) is neither plain/URL nor URL-safe Base64"
            )
        }
        return try SourceText(text: Self.text(bytes), format: format)
    }

    private static func halves(
        _ text: Substring.UTF8View,
        _ separator: UInt8
    ) throws(RequestRefusal) -> (Substring.UTF8View, Substring?) {
        let source = text.prefix { $0 != separator }
        guard source.endIndex != text.endIndex else { return (source, nil) }
        let format = text[source.endIndex...].dropFirst()
        guard !format.contains(separator) else {
            throw .invalid("the source has more than one format behind it")
        }
        return (source, Substring(format))
    }

    /// `bytes` as a text; what is no UTF-8 stays escaped, so that the origin gets the same bytes.
    private static func text(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text: [UInt8] = []
        for byte in bytes {
            if byte < 0x80 {
                text.append(byte)
            } else {
                text += Array("%\(String(byte, radix: 16, uppercase: true))".utf8)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
