public import CalotypeCore
import CalotypeFiles
public import CalotypeHTTP

/// Which server a post goes to, and what is spoken there: `tus+https://example.org/files/`.
public struct DestinationAddress: Hashable, Sendable, CustomStringConvertible {
    /// What is spoken with a server.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Each medium with PUT or POST, the post as JSON.
        case plain
        /// tus 1.0 for the media.
        case tus
        /// Mastodon's API.
        case mastodon
        /// S3, the post as a manifest.
        case s3
        /// WordPress' REST API.
        case wordpress
    }

    /// What is spoken.
    public let kind: Kind
    /// The server, or the place on it.
    public let url: WebURL

    /// Takes a server.
    public init(_ kind: Kind, _ url: WebURL) {
        self.kind = kind
        self.url = url
    }

    /// Parses a kind and a URL with a plus sign between them.
    ///
    /// - Parameters:
    ///   - text: Such as `mastodon+https://example.org`.
    ///   - allowsHTTP: Whether `http` may be spoken with other machines than this one, where everybody on the way can read
    ///     the credentials.
    /// - Throws: `invalid_url`; `unsupported_scheme`; `blocked_port`. A text with a user name or a password in it is refused,
    ///   and no error repeats it.
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
            throw Self.invalid("say what is spoken there: it is one of \(kinds.joined(separator: ", "))")
        }
        kind = try Self.kind(scheme[..<plus].lowercased())
        url = try Self.url(String(text[text.index(after: plus)...]), allowsHTTP: allowsHTTP)
    }

    /// The kind and the URL; without its query, which may be a signature.
    public var description: String {
        "\(kind.rawValue)+\(url.withoutQuery)"
    }

    /// Parses a URL that is sent credentials, or what may not become known.
    ///
    /// - Throws: As ``init(_:allowsHTTP:)``.
    package static func url(_ text: String, allowsHTTP: Bool) throws(CalotypeError) -> WebURL {
        let authority = text.firstRange(of: "//").map {
            text[$0.upperBound...].prefix { !"/?#\\".contains($0) }
        }
        guard authority?.contains("@") != true else {
            throw invalid(
                "a user name or password does not belong into a URL, which others can see; "
                    + "put them into a profile or the environment"
            )
        }
        do throws(CalotypeError) {
            let url = try WebURL(text)
            guard allowsHTTP || url.scheme == .https || url.isLoopback else {
                throw CalotypeError(
                    .unsupportedScheme,
                    "everybody on the way can read what is sent over http; use https, or --allow-http",
                    stage: .request,
                    url: url.text
                )
            }
            return url
        } catch {
            // What cannot be read may have a password in any place.
            throw text.contains("@") ? CalotypeError(error.code, error.message, stage: error.stage) : error
        }
    }

    private static let example = "a destination is a URL such as tus+https://example.org/files/"

    private static func kind(_ name: String) throws(CalotypeError) -> Kind {
        if let kind = Kind(rawValue: name) { return kind }
        let names = Kind.allCases.map(\.rawValue)
        let hint = NearestName.find(name, in: names).map { "did you mean \($0)+?" }
        throw invalid(
            "\"\(name.prefix(40))+\" is nothing that is spoken; "
                + (hint ?? "it is one of \(names.map { "\($0)+" }.joined(separator: ", "))")
        )
    }

    private static func invalid(_ reason: String) -> CalotypeError {
        CalotypeError(.invalidURL, reason, stage: .request)
    }
}

extension WebURL {
    /// Whether it names this machine, whatever the system's table of hosts says.
    var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        return host == "::1" || IPAddress(host) != nil && host.hasPrefix("127.")
    }
}
