internal import CalotypeCore
import CalotypeFiles
internal import CalotypeHTTP

/// The end of a path: the URL of the image, and the extension that names a format.
struct SourceText: Hashable, Sendable {
    /// The URL as intended, before any rewriting.
    let text: String
    /// The extension; `nil` if there is none.
    let format: String?

    /// Parses the rest of `segments`.
    init(_ segments: PathSegments, _ configuration: PathConfiguration) throws(ServerError) {
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

    private init(text: String, format: Substring?) throws(ServerError) {
        guard !text.isEmpty else { throw Self.empty }
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw .invalid("the source has a control character")
        }
        self.text = text
        self.format = format.flatMap { $0.isEmpty ? nil : String($0) }
    }

    private static let empty = ServerError.invalid("the source is empty")

    /// Parses a percent-encoded URL and the format after its `@`.
    private static func plain(_ text: Substring) throws(ServerError) -> SourceText {
        let (url, format) = try halves(text.utf8, UInt8(ascii: "@"))
        guard let bytes = PercentEscapes.decoded(url) else {
            throw .invalid("the source has a percent sign without two hexadecimal digits")
        }
        return try SourceText(text: Self.text(bytes), format: format)
    }

    /// Parses a Base64 URL, in one or more segments, and the format after its dot.
    private static func encoded(
        _ text: Substring,
        _ configuration: PathConfiguration
    ) throws(ServerError) -> SourceText {
        var text = text.utf8
        if configuration.base64IncludesFileName, let slash = text.lastIndex(of: UInt8(ascii: "/")) {
            text = text[..<slash]
        }
        let joined = String(decoding: text.filter { $0 != UInt8(ascii: "/") }, as: UTF8.self)
        let (digits, format) = try halves(Substring(joined).utf8, UInt8(ascii: "."))
        guard let bytes = Base64URL.bytes(Base64URL.withoutPadding(Substring(digits))) else {
            throw .invalid(
                "the source \(ServerError.quoted(String(decoding: text, as: UTF8.self))) is neither plain/URL nor URL-safe Base64"
            )
        }
        return try SourceText(text: Self.text(bytes), format: format)
    }

    private static func halves(
        _ text: Substring.UTF8View,
        _ separator: UInt8
    ) throws(ServerError) -> (Substring.UTF8View, Substring?) {
        let source = text.prefix { $0 != separator }
        guard source.endIndex != text.endIndex else { return (source, nil) }
        let format = text[source.endIndex...].dropFirst()
        guard !format.contains(separator) else {
            throw .invalid("the source is followed by more than one format")
        }
        return (source, Substring(format))
    }

    /// Converts `bytes` to text.
    ///
    /// Bytes that are not UTF-8 stay escaped, so that the origin receives the same bytes.
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

/// The kind of a source, determined by the scheme of its URL.
public enum SourceKind: String, Hashable, Sendable {
    /// `http` and `https`.
    case web
    /// `local:///PATH`: a file below the server's root.
    case local
    /// `data:`: the URL contains the image.
    case data

    /// The kind of the source at `url`; `nil` for any other scheme.
    public init?(of url: String) {
        let scheme = url.utf8.prefix(8).prefix { $0 != UInt8(ascii: ":") }
        switch Substring(scheme).lowercased() {
        case "http", "https": self = .web
        case "local": self = .local
        case "data": self = .data
        default: return nil
        }
    }

    /// Throws unless the server accepts the kind of `url` and the URL is among the allowed sources.
    static func check(_ url: String, _ configuration: PathConfiguration) throws(ServerError) {
        switch Self(of: url) {
        case .web:
            // The loader parses the URL again, with the same result.
            if configuration.allowedSources.isEmpty { return }
            guard configuration.allowedSources.allows(try webURL(url)) else { throw notAllowed }
        case .local where configuration.allowsLocal:
            let path = try LocalPath(url: url)
            guard configuration.allowedSources.allows(path) else { throw notAllowed }
        case .data where configuration.allowsData:
            guard configuration.allowedSources.allowsData else { throw notAllowed }
        case .local, .data, nil:
            let scheme = url.prefix { $0 != ":" }
            throw .unreachable("sources with the scheme \(ServerError.quoted(scheme)) are not supported")
        }
    }

    private static let notAllowed = ServerError.blockedSource(
        "this server does not allow this source"
    )

    /// Parses the URL of a web source.
    static func webURL(_ url: String) throws(ServerError) -> WebURL {
        do throws(CalotypeError) {
            return try WebURL(url)
        } catch {
            throw ServerError(404, "Invalid source URL", error.code, error.message)
        }
    }
}

/// The path of a file below a server's root, as components; none of them leads upwards.
public struct LocalPath: Hashable, Sendable {
    /// The names of the folders and finally of the file.
    public let components: [String]

    /// The components, joined by slashes.
    public var text: String { components.joined(separator: "/") }

    /// Parses `local:///PATH`.
    ///
    /// Escapes are decoded, and a `?` or `#` ends the path.
    init(url: String) throws(ServerError) {
        let path = url.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        guard path.starts(with: "///".utf8) else { throw Self.invalid("is not local:///PATH") }
        let written = path.dropFirst(3).prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let bytes = PercentEscapes.decoded(written), let text = String(validating: bytes, as: UTF8.self)
        else {
            throw Self.invalid("has an invalid percent escape")
        }
        components = try Self.components(text)
    }

    private static func components(_ path: String) throws(ServerError) -> [String] {
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        guard !parts.isEmpty, path.utf8.last != UInt8(ascii: "/") else {
            throw invalid("does not name a file")
        }
        for part in parts {
            guard part != ".", part != "..", !part.utf8.contains(0) else { throw invalid("contains . or ..") }
            // The maximum length of a file name on Linux.
            guard part.utf8.count <= 255 else { throw invalid("has a name that is too long") }
        }
        guard path.utf8.count < 4_096 else { throw invalid("is too long") }
        return parts
    }

    private static func invalid(_ what: String) -> ServerError {
        .blockedSource("the local source \(what)")
    }
}
