public import CalotypeCore
import CalotypeFiles
public import CalotypeHTTP

/// A server to publish to, and its protocol: `tus+https://example.org/files/`.
public struct DestinationAddress: Hashable, Sendable, CustomStringConvertible {
    /// The protocol of a server.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// `PUT` or `POST` for each medium, and JSON for the post.
        case plain
        /// tus 1.0 for the media.
        case tus
        /// The Mastodon API.
        case mastodon
        /// S3, with a manifest for the post.
        case s3
        /// WordPress's REST API.
        case wordpress
    }

    /// The protocol.
    public let kind: Kind
    /// The server's URL, or a location on the server.
    public let url: WebURL

    /// Creates an address from a protocol and a URL.
    public init(_ kind: Kind, _ url: WebURL) {
        self.kind = kind
        self.url = url
    }

    /// Parses a kind and a URL with a plus sign between them.
    ///
    /// - Parameters:
    ///   - text: The address, such as `mastodon+https://example.org`.
    ///   - allowsHTTP: Whether to allow `http` for other machines than this one. Anyone on the network path
    ///     can then read the credentials.
    /// - Throws: `invalid_url`; `unsupported_scheme`; `blocked_port`. A text that contains a user name or
    ///   password is refused, and no error repeats it.
    public init(_ text: String, allowsHTTP: Bool = false) throws(CalotypeError) {
        guard let separator = text.firstRange(of: "://"),
            text[..<separator.lowerBound].allSatisfy({
                $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+")
            })
        else { throw Self.invalid(Self.example) }
        let scheme = text[..<separator.lowerBound]
        guard let plus = scheme.lastIndex(of: "+") else {
            guard WebURL.Scheme(rawValue: scheme.lowercased()) != nil else {
                throw Self.invalid(Self.example)
            }
            let kinds = Kind.allCases.map { "\($0.rawValue)+\(scheme)://" }
            throw Self.invalid(
                "add the kind of server to the URL, which is one of \(kinds.joined(separator: ", "))"
            )
        }
        kind = try Self.kind(scheme[..<plus].lowercased())
        url = try Self.url(String(text[text.index(after: plus)...]), allowsHTTP: allowsHTTP)
    }

    /// The kind and the URL, without its query, which may be a signature.
    public var description: String {
        "\(kind.rawValue)+\(url.withoutQuery)"
    }

    /// Parses a URL to which credentials or confidential data will be sent.
    ///
    /// - Throws: The errors that ``init(_:allowsHTTP:)`` throws.
    package static func url(_ text: String, allowsHTTP: Bool) throws(CalotypeError) -> WebURL {
        let authority = text.firstRange(of: "//").map {
            text[$0.upperBound...].prefix { !"/?#\\".contains($0) }
        }
        guard authority?.contains("@") != true else {
            throw invalid(
                "a URL must not contain a user name or password, because others can see it; "
                    + "use a profile or the environment"
            )
        }
        do throws(CalotypeError) {
            let url = try WebURL(text)
            guard allowsHTTP || url.scheme == .https || url.isLoopback else {
                throw CalotypeError(
                    .unsupportedScheme,
                    "anyone on the network path can read what is sent over http; use https, or add --allow-http",
                    stage: .request,
                    url: url.text
                )
            }
            return url
        } catch {
            // An unreadable text may contain a password anywhere.
            throw text.contains("@") ? CalotypeError(error.code, error.message, stage: error.stage) : error
        }
    }

    private static let example = "a destination must be a URL such as tus+https://example.org/files/"

    private static func kind(_ name: String) throws(CalotypeError) -> Kind {
        if let kind = Kind(rawValue: name) { return kind }
        let names = Kind.allCases.map(\.rawValue)
        let hint = NearestName.find(name, in: names).map { "did you mean \($0)+?" }
        throw invalid(
            "\"\(name.prefix(40))+\" is not a known kind of server; "
                + (hint ?? "use one of \(names.map { "\($0)+" }.joined(separator: ", "))")
        )
    }

    private static func invalid(_ reason: String) -> CalotypeError {
        CalotypeError(.invalidURL, reason, stage: .request)
    }
}

extension WebURL {
    /// Whether the URL names this machine, regardless of the system's hosts file.
    var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        return host == "::1" || IPAddress(host) != nil && host.hasPrefix("127.")
    }
}
