public import CalotypeCore

/// An `http` or `https` URL in the one form that is checked, compared and sent.
///
/// libcurl's own URL parser reads it, so that what is checked is what is connected to. The host is ASCII (Punycode), in
/// lower case and without a trailing dot; every number form of an IPv4 address is four decimal numbers; blanks and
/// non-ASCII in path and query are percent-encoded; a fragment and a default port are dropped.
public struct WebURL: Hashable, Sendable, CustomStringConvertible {
    /// The two schemes that are read.
    public enum Scheme: String, Hashable, Sendable {
        case http, https

        var defaultPort: UInt16 { self == .http ? 80 : 443 }
    }

    /// Scheme, host and port: what may see the same credentials.
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
    /// The whole URL without user name, password and fragment, safe to log; what is sent is made from it.
    public let text: String
    /// The value of a Basic `Authorization` header from the URL's user name and password.
    package let authorization: String?
    /// The address, where the host is one.
    let address: IPAddress?

    /// The scheme.
    public var scheme: Scheme { origin.scheme }
    /// The name or address, ASCII and in lower case, without brackets, zone and trailing dot.
    public var host: String { origin.host }
    /// The port, the scheme's default where the URL names none.
    public var port: UInt16 { origin.port }
    /// The whole URL without user name and password.
    public var description: String { text }

    /// Parses `text`.
    ///
    /// - Throws: `invalid_url` for what is no URL or has control characters; `unsupported_scheme` for anything but
    ///   `http` and `https`; `blocked_port` for a port that belongs to another protocol.
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

    /// The URL that `reference`, such as a `Location` header's value, names from here.
    ///
    /// - Throws: `invalid_redirect` for what is no reference; otherwise what ``init(_:)`` throws.
    public func resolving(_ reference: String) throws(CalotypeError) -> WebURL {
        try Self.refuseControlCharacters(reference)
        if let scheme = Self.explicitScheme(of: reference) {
            try Self.requireHTTP(scheme)
        }
        let url = try ParsedURL(text)
        guard !reference.isEmpty, url.set(Self.encodingBlanks(reference)), let whole = url.absolute() else {
            throw CalotypeError(
                .invalidRedirect,
                "the redirect's target \(Self.withoutCredentials(reference)) is no URL",
                stage: .response,
                url: text
            )
        }
        return try WebURL(whole)
    }
}
