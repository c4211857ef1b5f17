public import CalotypeCore
import CalotypeHTTPMessages

/// An `http` or `https` URL in the normal form that is checked, compared and sent.
///
/// libcurl's own URL parser reads it, so that the host that is checked is the host that is connected to. The
/// host is ASCII (Punycode) in lower case, without a trailing dot. Every numeric form of an IPv4 address
/// becomes four decimal numbers. Blanks and non-ASCII characters in path and query are percent-encoded. A
/// fragment and a default port are removed.
public struct WebURL: Hashable, Sendable, CustomStringConvertible {
    /// The supported schemes.
    public enum Scheme: String, Hashable, Sendable {
        case http, https

        var defaultPort: UInt16 { self == .http ? 80 : 443 }
    }

    /// Scheme, host and port: the scope within which credentials may be shared.
    public struct Origin: Hashable, Sendable {
        /// The scheme.
        public let scheme: Scheme
        /// The host as in ``WebURL/host``.
        public let host: String
        /// The port.
        public let port: UInt16
    }

    /// Scheme, host and port.
    public let origin: Origin
    /// The whole URL without user name, password and fragment, safe to log; requests use this text.
    public let text: String
    /// The value of a Basic `Authorization` header from the URL's user name and password.
    package let authorization: String?
    /// The address, if the host is one.
    let address: IPAddress?

    /// The scheme.
    public var scheme: Scheme { origin.scheme }
    /// The name or address, ASCII and in lower case, without brackets, zone and trailing dot.
    public var host: String { origin.host }
    /// The port, or the scheme's default if the URL names none.
    public var port: UInt16 { origin.port }
    /// The whole URL without user name and password.
    public var description: String { text }

    /// Parses `text`.
    ///
    /// - Throws: `invalid_url` if the text is not a URL or has control characters; `unsupported_scheme` for
    ///   any scheme other than `http` and `https`; `blocked_port` for a port of another protocol.
    public init(_ text: String) throws(CalotypeError) {
        do {
            self = try Self.parse(text)
        } catch {
            throw error.at(Self.withoutCredentials(text))
        }
    }

    init(origin: Origin, text: String, authorization: String?) {
        self.origin = origin
        self.text = text
        self.authorization = authorization
        address = IPAddress(origin.host)
    }

    /// Resolves `reference`, such as the value of a `Location` field, against this URL.
    ///
    /// - Throws: `invalid_redirect` if `reference` is invalid; otherwise what ``init(_:)`` throws.
    public func resolving(_ reference: String) throws(CalotypeError) -> WebURL {
        try Self.refuseControlCharacters(reference)
        if let scheme = Self.explicitScheme(of: reference) {
            try Self.requireHTTP(scheme)
        }
        let url = try ParsedURL(text)
        guard !reference.isEmpty, url.set(Self.encodingBlanks(reference)), let whole = url.absolute() else {
            throw CalotypeError(
                .invalidRedirect,
                "the redirect's target \(Self.withoutCredentials(reference)) is not a URL",
                stage: .response,
                url: text
            )
        }
        return try WebURL(whole)
    }
}

extension WebURL {
    /// The maximum number of bytes in a URL's text.
    static let maximumBytes = 32 << 10

    static func parse(_ text: String) throws(CalotypeError) -> WebURL {
        guard text.utf8.count <= maximumBytes else {
            throw invalid("it is longer than \(maximumBytes) bytes")
        }
        try refuseControlCharacters(text)
        guard let scheme = explicitScheme(of: text) else {
            throw invalid("it does not begin with http:// or https://")
        }
        try requireHTTP(scheme)
        // In this case libcurl takes the first part of the path for the host, but the host is empty (RFC
        // 3986, section 3.2).
        guard !text.dropFirst(scheme.count).hasPrefix(":///") else { throw invalid("it has no host") }
        return try normalise(encodingBlanks(text))
    }

    /// Parses until the host no longer changes.
    ///
    /// `１２７.1` or `127.0.0.1.` becomes an address only in a second pass.
    private static func normalise(_ text: String) throws(CalotypeError) -> WebURL {
        var url = try ParsedURL(text)
        let authorization = url.authorization()
        var parts = try url.parts()
        for _ in 0..<3 where parts.text != text {
            let before = parts.host
            url = try ParsedURL(parts.text)
            parts = try url.parts()
            if parts.host == before { break }
        }
        if blockedPorts.contains(parts.port) {
            throw CalotypeError(
                .blockedPort,
                "port \(parts.port) is blocked, because it belongs to another protocol",
                stage: .request
            )
        }
        let origin = Origin(scheme: parts.scheme, host: parts.host, port: parts.port)
        return WebURL(origin: origin, text: parts.text, authorization: authorization)
    }

    static func refuseControlCharacters(_ text: String) throws(CalotypeError) {
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw invalid("it has a control character or line break")
        }
    }

    /// The scheme that the text names, if any: `localhost:80` names none.
    static func explicitScheme(of text: String) -> Substring? {
        guard let colon = text.firstIndex(of: ":"), let first = text.utf8.first, first.isASCIILetter else {
            return nil
        }
        let scheme = text[..<colon]
        let isName = scheme.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
        let next = text[text.index(after: colon)...].utf8.first
        return isName && next.map(\.isASCIIDigit) != true ? scheme : nil
    }

    static func requireHTTP(_ scheme: Substring) throws(CalotypeError) {
        guard Scheme(rawValue: scheme.lowercased()) == nil else { return }
        throw CalotypeError(
            .unsupportedScheme,
            "the scheme \(scheme) is not supported; only http and https are",
            stage: .request
        )
    }

    /// Encodes blanks as `%20`, because libcurl would write those of a query as `+`, which only forms accept.
    static func encodingBlanks(_ text: String) -> String {
        guard text.utf8.contains(0x20) else { return text }
        return text.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20")
    }

    /// Prepares text that may not be a URL for a message: shortened, and without possible passwords.
    static func withoutCredentials(_ text: String) -> String {
        let shown = URLCredentials.removed(from: text)
        return shown.count > 512 ? shown.prefix(512) + "..." : shown
    }

    static func invalid(_ reason: String) -> CalotypeError {
        CalotypeError(.invalidURL, "this is not a valid URL: \(reason)", stage: .request)
    }
}

extension WebURL {
    /// Ports of protocols that an HTTP request could be mistaken for.
    ///
    /// They are the "bad ports" of the Fetch standard (section 2.9), and ports of data stores that are often
    /// open inside a network.
    static let blockedPorts: Set<UInt16> = [
        0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
        104,
        109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514,
        515, 526,
        530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
        3659, 4045,
        4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
        1433, 1521, 2375, 2379, 3306, 3389, 5432, 6379, 11211, 27017,
    ]
}
