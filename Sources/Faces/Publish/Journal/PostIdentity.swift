internal import CalotypeCore
internal import CalotypeDigests
internal import CalotypeHTTP

/// The identity of a post: what readers see, and its destination.
///
/// The location of a file is not part of it.
struct PostIdentity: Sendable {
    /// A value that is equal for posts of the same text, fields and media to the same destination.
    let fingerprint: String
    /// The ``fingerprint`` of a post that an earlier version began, of which the journal has fewer fields.
    let earlier: String

    /// - Parameters:
    ///   - post: The post.
    ///   - plans: The post's media, which have been read.
    ///   - destination: The destination.
    /// - Throws: The error of a failed digest.
    init(
        _ post: Post,
        _ plans: [PlannedMedium],
        to destination: any PublishDestination
    ) throws(DigestError) {
        var parts = [
            "2", destination.identity, post.text, post.visibility?.rawValue ?? "", post.language ?? "",
            post.schedule.map { "\($0.secondsSince1970)" } ?? "",
        ]
        // Absent in the identity of a post without one, as in those of earlier versions.
        if let warning = post.contentWarning { parts.append(warning) }
        for plan in plans {
            let focus = plan.medium.focus.map { "\($0.x) \($0.y)" } ?? ""
            parts += [plan.origin, plan.medium.name ?? "", plan.medium.altText ?? "", focus]
            parts.append(plan.thumbnailOrigin ?? "")
        }
        fingerprint = try Self.digest(parts)
        earlier = try Self.earlier(destination.name, post.text, plans.map(\.origin))
    }

    /// Returns the fingerprint of a publication from before the journal stored more fields than these.
    static func earlier(
        _ destination: String,
        _ text: String,
        _ origins: [String]
    ) throws(DigestError) -> String {
        try digest(["1", DestinationIdentity.of(destination), text] + origins)
    }

    private static func digest(_ parts: [String]) throws(DigestError) -> String {
        try Digest(.sha256, of: parts.map { "\($0.utf8.count):\($0)" }.joined()).hexadecimal
    }
}

/// Compares destinations, however their URLs are spelled.
enum DestinationIdentity {
    /// Returns the canonical form of a destination's name, such as `tus+https://example.org/files`.
    ///
    /// - Parameter name: A kind and a URL as in ``PublishDestination/name``; any other name is its own
    ///   canonical form.
    /// - Returns: A name that is equal for all spellings.
    static func of(_ name: String) -> String {
        guard let separator = name.firstRange(of: "://"),
            let plus = name[..<separator.lowerBound].lastIndex(of: "+"),
            // A name without a valid URL is compared as text.
            let url = try? WebURL(String(name[name.index(after: plus)...]))
        else { return name }
        return name[...plus] + of(url)
    }

    /// Returns the canonical form of a URL.
    ///
    /// All names of this machine become one, and unnecessary escapes and slashes are removed. So is the
    /// query, which may be a signature that differs each time.
    static func of(_ url: WebURL) -> String {
        "\(url.scheme)://\(host(url)):\(url.port)/\(segments(url).joined(separator: "/"))"
    }

    /// Returns a URL of the server of `other`, with the origin spelled as in `other`.
    ///
    /// The result is `nil` if the URL is on another server.
    static func rebase(_ url: WebURL, to other: WebURL) throws(CalotypeError) -> WebURL? {
        if url.origin == other.origin { return url }
        guard url.scheme == other.scheme, url.port == other.port, host(url) == host(other) else { return nil }
        return try WebURL("\(split(other).origin)\(split(url).rest)")
    }

    private static func host(_ url: WebURL) -> String {
        ["127.0.0.1", "::1"].contains(url.host) ? "localhost" : url.host
    }

    private static func segments(_ url: WebURL) -> [String] {
        let path = split(url).rest.prefix { $0 != "?" }
        return path.split(separator: "/").reduce(into: []) { segments, segment in
            switch segment {
            case ".": break
            case "..": _ = segments.popLast()
            default:
                let plain = PercentEscapes.decoded(segment.utf8).map { String(decoding: $0, as: UTF8.self) }
                segments.append(plain.map { PercentEscapes.encoded($0) } ?? String(segment))
            }
        }
    }

    private static func split(_ url: WebURL) -> (origin: Substring, rest: Substring) {
        let start = url.text.index(url.text.startIndex, offsetBy: "\(url.scheme)://".count)
        let end = url.text[start...].firstIndex { "/?".contains($0) } ?? url.text.endIndex
        return (url.text[..<end], url.text[end...])
    }
}

extension PublicationRecord {
    /// Whether the publication's destination is this one, however its URL is spelled.
    package func isFor(_ other: any PublishDestination) -> Bool {
        DestinationIdentity.of(destination) == DestinationIdentity.of(other.name)
    }
}
