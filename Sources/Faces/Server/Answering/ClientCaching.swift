import Calotype
import CalotypeCore
import CalotypeDigests
import CalotypeHTTP

/// For how long those who got a picture may keep it: the value of `Cache-Control`.
struct CacheTime: Hashable, Sendable {
    let text: String

    /// The time of a picture.
    ///
    /// - Parameters:
    ///   - rules: the server's.
    ///   - standing: what the source's origin said; `nil` where there is none.
    ///   - expires: when the path ends being good, in seconds since 1970.
    ///   - now: seconds since 1970.
    init(_ rules: AnswerRules, _ standing: SourceStanding?, expires: Int?, now: Int) {
        let rest = expires.map { max($0 - now, 0) } ?? .max
        guard rules.passesCacheControl, let standing, standing.hasLifetime else {
            self.init(seconds: min(Int(rules.timeToLive.components.seconds), rest))
            return
        }
        let fresh = min(max(standing.freshUntil.secondsSince1970 - now, 0), rest)
        self.init(standing.cacheControl, fresh)
    }

    /// What the origin says, of a source that is `fresh` for so many seconds more.
    private init(_ control: CacheControl, _ fresh: Int) {
        if control.has(.noStore) {
            text = "no-store"
        } else if control.has(.noCache) || fresh == 0 {
            text = control.has(.isPrivate) ? "private, no-cache" : "no-cache"
        } else {
            text = "max-age=\(fresh), \(control.has(.isPrivate) ? "private" : "public")"
        }
    }

    /// So many seconds; `no-cache` for none.
    init(seconds: Int) {
        text = seconds > 0 ? "max-age=\(seconds), public" : "no-cache"
    }
}

extension SourceStanding {
    /// Whether the origin said anything of how long the source is good.
    fileprivate var hasLifetime: Bool {
        let control = cacheControl
        return control.maxAge != nil || control.sharedMaxAge != nil || hasExpiry
            || !control.directives.isDisjoint(with: [.noStore, .noCache, .isPrivate, .mustRevalidate])
    }
}

/// The entity tag of a result.
///
/// What is asked for is the URL's business; a tag tells apart what one URL gives at different times, or to clients that take
/// different formats. Where the origin names a version of the source, the tag's beginning is made of that and of what is made
/// of the source, and so is known before it is made; its end is made of what the result is. Else all of it is made of the
/// result itself.
enum ResultTag {
    /// The tag of `served`.
    ///
    /// - Parameters:
    ///   - served: The result.
    ///   - request: What was made of the source; called only where it counts.
    ///   - buster: What changes all tags.
    /// - Returns: The tag; `nil` where digests cannot be made.
    static func text(_ served: ServedRendition, of request: () -> String, buster: String) -> String? {
        let rendition = served.rendition
        let result = [
            rendition.format.rawValue, rendition.size.description, "\(rendition.bytes.count)",
            "\(rendition.sourceBytes.bytes)",
        ]
        do throws(DigestError) {
            if let standing = served.standing,
                let beginning = try beginning(of: standing, request, buster: buster)
            {
                return "\"\(beginning)\(try digest(result).prefix(endLength))\""
            }
            return try tag([buster] + result + [try Digest(.sha256, of: rendition.bytes).description])
        } catch {
            // Without libcrypto's digests there are no tags; nothing else depends on them.
            return nil
        }
    }

    /// The one of `tags` that is of a result made of that version, whatever its bytes; `nil` where none is.
    static func text(
        among tags: [EntityTag],
        of standing: SourceStanding,
        _ request: () -> String,
        buster: String
    ) -> String? {
        // As above: without digests nothing is known.
        guard let beginning = try? beginning(of: standing, request, buster: buster) else { return nil }
        return tags.map(\.opaque).first { tag in
            tag.utf8.count == beginningLength + endLength + 2 && tag.hasPrefix("\"" + beginning)
        }.map(String.init)
    }

    private static let beginningLength = 20
    private static let endLength = 12

    private static func beginning(
        of standing: SourceStanding,
        _ request: () -> String,
        buster: String
    ) throws(DigestError) -> Substring? {
        let version = [standing.entityTag, standing.lastModified].compactMap { $0 }
        guard !version.isEmpty else { return nil }
        return try digest([buster, request()] + version).prefix(beginningLength)
    }

    /// The tag of a source's very bytes, as strong as what the origin calls them by; `nil` where it gives them no name.
    static func text(of standing: SourceStanding, buster: String) -> String? {
        // As above: without digests there are no tags.
        guard let beginning = try? beginning(of: standing, { "raw" }, buster: buster) else { return nil }
        let isStrong = standing.entityTag.map { !$0.hasPrefix("W/") } ?? false
        return "\(isStrong ? "" : "W/")\"\(beginning)\""
    }

    /// The tag of `bytes` that are made anew each time they are answered.
    static func text(of bytes: [UInt8], buster: String) -> String? {
        do throws(DigestError) {
            return try tag([buster, try Digest(.sha256, of: bytes).description])
        } catch {
            return nil
        }
    }

    private static func tag(_ parts: [String]) throws(DigestError) -> String {
        "\"\(try digest(parts).prefix(beginningLength + endLength))\""
    }

    private static func digest(_ parts: [String]) throws(DigestError) -> String {
        let name = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return try Digest(.sha256, of: name).description
    }
}
