internal import CalotypeCore
internal import CalotypeHTTP

/// Where a source is, told by the scheme of its URL.
public enum SourceKind: String, Hashable, Sendable {
    /// `http` and `https`.
    case web
    /// `local:///PATH`: a file below the server's root.
    case local
    /// `data:`: the URL holds the picture.
    case data

    /// The kind of the source at `url`; `nil` for every other scheme.
    public init?(of url: String) {
        let scheme = url.utf8.prefix(8).prefix { $0 != UInt8(ascii: ":") }
        switch Substring(scheme).lowercased() {
        case "http", "https": self = .web
        case "local": self = .local
        case "data": self = .data
        default: return nil
        }
    }

    /// Refuses `url` unless it is of a kind that the server takes, and among the allowed sources.
    static func check(_ url: String, _ configuration: PathConfiguration) throws(RequestRefusal) {
        switch Self(of: url) {
        case .web:
            // Whoever loads it reads the URL again, with the same result.
            if configuration.allowedSources.isEmpty { return }
            guard configuration.allowedSources.allows(try webURL(url)) else { throw notAllowed }
        case .local where configuration.allowsLocal:
            let path = try LocalPath(url: url)
            guard configuration.allowedSources.allows(path) else { throw notAllowed }
        case .data where configuration.allowsData:
            guard configuration.allowedSources.allowsData else { throw notAllowed }
        case .local, .data, nil:
            let scheme = url.prefix { $0 != ":" }
            throw .unreachable("sources of the scheme \(RequestRefusal.quoted(scheme)) are not asked")
        }
    }

    private static let notAllowed = RequestRefusal.blockedSource(
        "the source is not among those that the server allows"
    )

    /// Reads the URL of a source in the web.
    static func webURL(_ url: String) throws(RequestRefusal) -> WebURL {
        do throws(CalotypeError) {
            return try WebURL(url)
        } catch {
            throw RequestRefusal(404, "Invalid source URL", error.code, error.message)
        }
    }
}
