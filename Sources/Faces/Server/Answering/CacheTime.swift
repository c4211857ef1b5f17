import Calotype
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
