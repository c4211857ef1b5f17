import Calotype
import CalotypeCore
import CalotypeDigests
import CalotypeHTTP

/// How long clients may cache an image: the value of `Cache-Control`.
struct CacheTime: Hashable, Sendable {
    let text: String

    /// The value for an image.
    ///
    /// - Parameters:
    ///   - rules: The server's rules.
    ///   - provenance: The caching information from the source's origin; `nil` if there is none.
    ///   - expires: When the path expires, in seconds since 1970.
    ///   - now: The current time in seconds since 1970.
    init(_ rules: AnswerRules, _ provenance: Provenance?, expires: Int?, now: Int) {
        let rest = expires.map { max($0 - now, 0) } ?? .max
        guard rules.passesCacheControl, let version = provenance?.version, version.hasLifetime,
            let end = provenance?.freshUntil
        else {
            self.init(seconds: min(Int(rules.timeToLive.components.seconds), rest))
            return
        }
        let fresh = min(max(end.secondsSince1970 - now, 0), rest)
        self.init(version.cacheControl, fresh)
    }

    /// The origin's own value, for a source that stays fresh for `fresh` more seconds.
    private init(_ control: CacheControl, _ fresh: Int) {
        if control.has(.noStore) {
            text = "no-store"
        } else if control.has(.noCache) || fresh == 0 {
            text = control.has(.isPrivate) ? "private, no-cache" : "no-cache"
        } else {
            text = "max-age=\(fresh), \(control.has(.isPrivate) ? "private" : "public")"
        }
    }

    /// A lifetime in seconds; `no-cache` for zero.
    init(seconds: Int) {
        text = seconds > 0 ? "max-age=\(seconds), public" : "no-cache"
    }
}

extension SourceVersion {
    /// Whether the origin specified how long the source may be cached.
    fileprivate var hasLifetime: Bool {
        let control = cacheControl
        return control.maxAge != nil || control.sharedMaxAge != nil || hasExpiry
            || !control.directives.isDisjoint(with: [.noStore, .noCache, .isPrivate, .mustRevalidate])
    }
}

/// The entity tag of a result.
///
/// The URL identifies what was requested. The tag distinguishes what one URL returns at different times, or
/// to clients that accept different formats. If the origin identifies the version of the source, the start of
/// the tag is derived from that version and from the processing, so it is known before the result exists; the
/// end is derived from the result. Otherwise the whole tag is derived from the result.
enum ResultTag {
    /// Returns the tag of `picture`.
    ///
    /// - Parameters:
    ///   - picture: The result.
    ///   - request: Describes the processing of the source; called only if needed.
    ///   - buster: A text that changes all tags.
    /// - Returns: The tag; `nil` if digests are unavailable.
    static func text(_ picture: Picture, of request: () -> String, buster: String) -> String? {
        let rendition = picture.rendition
        let result = [
            rendition.format.rawValue, rendition.size.description, "\(rendition.bytes.count)",
            "\(rendition.sourceBytes.bytes)",
        ]
        do throws(DigestError) {
            if let version = picture.provenance.version,
                let beginning = try beginning(of: version, request, buster: buster)
            {
                return "\"\(beginning)\(try digest(result).prefix(endLength))\""
            }
            return try tag([buster] + result + [try Digest(.sha256, of: rendition.bytes).description])
        } catch {
            // Without libcrypto's digests there are no tags; nothing else depends on them.
            return nil
        }
    }

    /// Returns the tag among `tags` of a result from this version, whatever its bytes; `nil` if none is.
    static func text(
        among tags: [EntityTag],
        of version: SourceVersion,
        _ request: () -> String,
        buster: String
    ) -> String? {
        // Without digests no tag can match, as above.
        guard let beginning = try? beginning(of: version, request, buster: buster) else { return nil }
        return tags.map(\.opaque).first { tag in
            tag.utf8.count == beginningLength + endLength + 2 && tag.hasPrefix("\"" + beginning)
        }.map(String.init)
    }

    private static let beginningLength = 20
    private static let endLength = 12

    private static func beginning(
        of version: SourceVersion,
        _ request: () -> String,
        buster: String
    ) throws(DigestError) -> Substring? {
        let validators = [version.entityTag, version.lastModified].compactMap { $0 }
        guard !validators.isEmpty else { return nil }
        return try digest([buster, request()] + validators).prefix(beginningLength)
    }

    /// Returns the tag for the source's own bytes, as strong as the origin's validator; `nil` without one.
    static func text(of version: SourceVersion, buster: String) -> String? {
        // Without digests there are no tags, as above.
        guard let beginning = try? beginning(of: version, { "raw" }, buster: buster) else { return nil }
        let isStrong = version.entityTag.map { !$0.hasPrefix("W/") } ?? false
        return "\(isStrong ? "" : "W/")\"\(beginning)\""
    }

    /// Returns the tag of `bytes` that are created again for each response.
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
