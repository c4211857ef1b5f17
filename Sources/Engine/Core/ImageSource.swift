import CalotypeFiles
import CalotypeHTTPMessages

/// The source of a picture's bytes.
public enum ImageSource: Hashable, Sendable {
    /// An `http` or `https` URL as a person would write it; blanks and non-ASCII are percent-encoded.
    case url(String)
    /// A file on this machine.
    case file(path: String)
    /// Encoded bytes.
    case bytes([UInt8])
    /// Bytes from a closure.
    case provided(ImageProvider)

    /// Hashes the name or, for encoded bytes, their count and both ends: there may be many.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .url(let text): hasher.combine(text)
        case .file(let path): hasher.combine(path)
        case .provided(let provider): hasher.combine(provider)
        case .bytes(let bytes):
            hasher.combine(bytes.count)
            hasher.combine(bytes.prefix(64))
            hasher.combine(bytes.suffix(64))
        }
    }
}

/// A custom source: a closure that provides encoded bytes, and a name for the content.
///
/// Two providers with the same `id` count as the same source: their callers share one call and one rendition.
public struct ImageProvider: Hashable, Sendable {
    /// Identifies the content.
    public let id: String
    /// Provides the encoded bytes.
    ///
    /// The call is cancelled when no caller waits for them any more or when it takes longer than the pipeline
    /// allows for a source, and is always awaited.
    public let load: @Sendable () async throws -> [UInt8]
    /// What the pipeline has of the content, where it is more than a closure.
    package let held: (any Sendable)?

    /// Creates a provider of content that the pipeline has.
    package init(id: String, held: any Sendable, load: @escaping @Sendable () async throws -> [UInt8]) {
        self.id = id
        self.held = held
        self.load = load
    }

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: Identifies the content, as a URL would.
    ///   - load: Provides the encoded bytes.
    public init(id: String, load: @escaping @Sendable () async throws -> [UInt8]) {
        self.id = id
        self.load = load
        held = nil
    }

    /// Whether both have the same `id`.
    public static func == (lhs: ImageProvider, rhs: ImageProvider) -> Bool {
        lhs.id == rhs.id
    }

    /// Hashes the `id`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}

extension ImageSource {
    /// Creates a source from a URL that may also be a `file:` or `data:` URL (RFC 8089, RFC 2397).
    ///
    /// Use it only for text from the program itself or its user. ``url(_:)`` refuses these schemes, so that a
    /// list or a page from outside can never name a file on this machine. The case of schemes does not
    /// matter.
    ///
    /// A `file:` URL has an absolute path and no host other than `localhost`; its query and fragment are
    /// ignored. A `data:` URL is percent-encoded or Base64 (RFC 4648, section 4; blanks and missing padding
    /// are accepted); its media type is ignored, since the bytes show the format. Everything else becomes
    /// ``url(_:)`` unchanged.
    ///
    /// - Parameters:
    ///   - text: The URL.
    ///   - limits: Its ``ImageLimits/sourceBytes`` limits the size of a `data:` URL.
    /// - Throws: `invalid_url` for an invalid `file:` or `data:` URL, `too_many_bytes`.
    public init(trustedText text: String, limits: ImageLimits = ImageLimits()) throws(CalotypeError) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            self = .url(text)
            return
        }
        let rest = text.utf8[text.utf8.index(after: colon)...]
        switch text[..<colon].lowercased() {
        case "file": self = .file(path: try FileURL.path(rest))
        case "data": self = .bytes(try DataURL.bytes(rest, most: limits.sourceBytes))
        default: self = .url(text)
        }
    }
}

/// URLs of files on this machine (RFC 8089).
enum FileURL {
    /// The path after `file:`.
    ///
    /// - Throws: `invalid_url`.
    static func path(_ rest: Substring.UTF8View) throws(CalotypeError) -> String {
        let named = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let bytes = PercentEscapes.decoded(try localPath(named)), !bytes.contains(0),
            let path = String(validating: bytes, as: UTF8.self)
        else { throw invalid("its path is not correctly percent-encoded") }
        return path
    }

    /// The path after the host, which must be this machine.
    private static func localPath(
        _ named: Substring.UTF8View
    ) throws(CalotypeError) -> Substring.UTF8View {
        var path = named
        if named.starts(with: "//".utf8) {
            let authority = named.dropFirst(2)
            path = authority.drop { $0 != UInt8(ascii: "/") }
            let host = String(Substring(authority[..<path.startIndex])).lowercased()
            guard host.isEmpty || host == "localhost" else {
                throw invalid("it refers to a file on another machine")
            }
        }
        guard path.first == UInt8(ascii: "/") else { throw invalid("its path is not absolute") }
        return path
    }

    private static func invalid(_ reason: String) -> CalotypeError {
        CalotypeError(.invalidURL, "the file URL cannot be used: \(reason)", stage: .request)
    }
}

/// URLs that hold their content (RFC 2397).
enum DataURL {
    /// The content after `data:`, at most `most` bytes.
    ///
    /// - Throws: `invalid_url`, `too_many_bytes`.
    static func bytes(_ rest: Substring.UTF8View, most: ByteCount) throws(CalotypeError) -> [UInt8] {
        let url = rest.prefix { $0 != UInt8(ascii: "#") }
        guard let comma = url.firstIndex(of: UInt8(ascii: ",")) else { throw invalid("it has no comma") }
        guard let content = PercentEscapes.decoded(url[comma...].dropFirst()) else {
            throw invalid("a percent sign is not followed by two hexadecimal digits")
        }
        guard isBase64(url[..<comma]) else { return try checked(content, most) }
        guard let decoded = Base64.decoded(content) else { throw invalid("it is not valid Base64") }
        return try checked(decoded, most)
    }

    /// Whether the parameters before the comma end in `;base64`.
    private static func isBase64(_ parameters: Substring.UTF8View) -> Bool {
        String(Substring(parameters)).lowercased().hasSuffix(";base64")
    }

    private static func checked(_ bytes: [UInt8], _ most: ByteCount) throws(CalotypeError) -> [UInt8] {
        guard bytes.count <= most.bytes else {
            throw CalotypeError(
                .tooManyBytes,
                "the data URL has \(ByteCount(bytes.count)); the limit is \(most)",
                stage: .request
            )
        }
        return bytes
    }

    private static func invalid(_ reason: String) -> CalotypeError {
        CalotypeError(.invalidURL, "the data URL cannot be read: \(reason)", stage: .request)
    }
}
