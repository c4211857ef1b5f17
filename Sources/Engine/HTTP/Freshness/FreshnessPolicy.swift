package import CalotypeHTTPMessages

/// How long responses without explicit freshness stay fresh, and whether the cache is shared.
///
/// Explicit information from an origin always takes precedence. The defaults follow RFC 9111, which leaves
/// the rest to the cache.
public struct FreshnessPolicy: Hashable, Sendable {
    /// Whether the cache serves several people; `false` by default, because the program works for one user.
    ///
    /// A shared cache does not store responses marked `private`, and stores responses to requests with
    /// `Authorization` only if the origin allows it.
    public var isShared = false
    /// The fraction of the time since a picture's last change for which it counts as fresh: 0.1.
    public var heuristicFraction = 0.1
    /// The maximum lifetime that ``heuristicFraction`` may give: 1 day.
    public var heuristicMaximum = Duration.seconds(86_400)
    /// How long a picture stays fresh if the origin gives neither a lifetime nor a modification date: 300 s.
    public var lifetimeOfUnknown = Duration.seconds(300)
    /// How long a 404 or 410 stays cached if the origin gives no lifetime: 60 s.
    public var negativeLifetime = Duration.seconds(60)
    /// How long a stale picture may be used while its origin fails, if the origin gives no time.
    ///
    /// The default is zero: not at all.
    public var staleIfError = Duration.zero

    /// Creates the default policy.
    public init() {}

    /// Whether a cache may store `response` (RFC 9111, section 3).
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The request's header fields, including `Authorization`: see ``HTTPRequest/sentFields``.
    /// - Returns: `true` if storing is permitted, even if it would not be useful.
    package func isStorable(_ response: StoredResponse, request: HTTPHeaders) -> Bool {
        let control = response.cacheControl
        guard !control.has(.noStore), !CacheControl(request).has(.noStore), !response.isUnmatchable,
            isAllowed(response, hasAuthorization: request["Authorization"] != nil)
        else { return false }
        switch response.status {
        case 206, 304, 500..., ..<200: return false
        case 200, 203, 404, 410: return true
        default:
            return control.has(.isPublic) || explicitLifetime(of: response) != nil
        }
    }

    private func isAllowed(_ response: StoredResponse, hasAuthorization: Bool) -> Bool {
        guard isShared else { return true }
        let control = response.cacheControl
        guard !control.has(.isPrivate) else { return false }
        return !hasAuthorization || control.has(.isPublic) || control.has(.mustRevalidate)
            || control.sharedMaxAge != nil
    }

    /// How long `response` stays fresh, counted from age zero (RFC 9111, section 4.2.1).
    package func lifetime(of response: StoredResponse) -> Duration {
        explicitLifetime(of: response) ?? heuristicLifetime(of: response)
    }

    private func explicitLifetime(of response: StoredResponse) -> Duration? {
        let control = response.cacheControl
        if isShared, let lifetime = control.sharedMaxAge { return lifetime }
        if let lifetime = control.maxAge { return lifetime }
        return switch response.expiry {
        case .unknown: nil
        case .past: .zero
        case .at(let moment): max(moment - response.date, .zero)
        }
    }

    private func heuristicLifetime(of response: StoredResponse) -> Duration {
        switch response.status {
        case 404, 410: return negativeLifetime
        case 200, 203: break
        default: return .zero
        }
        guard let changed = response.lastModified else {
            // An origin that demands revalidation has said something, so the default for unknown lifetimes
            // does not apply.
            return response.cacheControl.has(.mustRevalidate) ? .zero : lifetimeOfUnknown
        }
        let seconds = Double((response.date - changed).wholeSeconds) * heuristicFraction
        // Written so that NaN also gives zero.
        return seconds > 0
            ? .seconds(Int(min(seconds, Double(max(heuristicMaximum.wholeSeconds, 0))))) : .zero
    }
}

/// Whether a cache may use a stored response (RFC 9111, section 4).
package enum Freshness: Hashable, Sendable {
    /// The response may be used without contacting the origin until that moment.
    case fresh(until: WallTime)
    /// The response must be requested again.
    ///
    /// Until the new response arrives it may be used if `whileRevalidate` is set. If `ifError` is set, it may
    /// replace an error: a network failure, or a status from 500 to 599.
    case stale(whileRevalidate: Bool, ifError: Bool)
    /// The response may be used only after the origin has confirmed that it is unchanged.
    case mustRevalidate
    /// The response belongs to other request header fields and must not be used.
    ///
    /// Request the picture as if nothing were cached.
    case otherVariant
}

extension StoredResponse {
    /// Determines how the stored response may be used for a request now.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - request: The header fields of the request; their `Cache-Control` applies too.
    ///   - policy: The lifetimes for responses without explicit freshness.
    /// - Returns: How the response may be used.
    package func state(at now: WallTime, request: HTTPHeaders, policy: FreshnessPolicy) -> Freshness {
        let asked = CacheControl(request)
        guard !variant.isUnmatchable else { return isUnmatchable ? .otherVariant : .mustRevalidate }
        guard variant.matches(request) else { return .otherVariant }
        guard !cacheControl.has(.noCache), !asked.has(.noCache) else { return .mustRevalidate }
        let age = currentAge(at: now)
        let lifetime = policy.lifetime(of: self)
        let rest = remaining(lifetime, age, asked)
        if rest > .zero { return .fresh(until: now + rest) }
        guard !forbidsStale(policy) else { return .mustRevalidate }
        if let stale = asked.maxStale, withinRequest(age, asked), lifetime + stale > age {
            return .fresh(until: now + (lifetime + stale - age))
        }
        return staleness(max(age - lifetime, .zero), asked, policy)
    }

    /// The age of the response (RFC 9111, section 4.2.3); never negative.
    ///
    /// The `Age` that caches on the way reported is the initial age. The `Date` field is not subtracted from
    /// the local clock, so that a wrong clock does not make all responses stale immediately.
    package func currentAge(at now: WallTime) -> Duration {
        let delay = max(responseTime - requestTime, .zero)
        // A wait of more than an hour means that the clock was set in between.
        let initial = age + (delay > .seconds(3600) ? .zero : delay)
        return initial + max(now - arrival(at: now), .zero)
    }

    /// When the response arrived.
    ///
    /// If the origin's clock and the local clock differed by more than a day then, the local clock was wrong,
    /// for example in 1970 after a start without a network. In that case the origin's time counts, unless it
    /// lies in the future.
    private func arrival(at now: WallTime) -> WallTime {
        let told = date + age
        let isPlausible = max(told - responseTime, responseTime - told) <= .seconds(86_400)
        return isPlausible || told > now ? responseTime : told
    }

    /// The time for which the response still satisfies the request; zero or negative if it does not.
    private func remaining(_ lifetime: Duration, _ age: Duration, _ asked: CacheControl) -> Duration {
        var rest = lifetime - age - (asked.minFresh ?? .zero)
        if let maxAge = asked.maxAge { rest = min(rest, maxAge - age) }
        return rest
    }

    private func withinRequest(_ age: Duration, _ asked: CacheControl) -> Bool {
        asked.maxAge.map { age < $0 } ?? true
    }

    /// Whether the origin forbids the use of the stale response (RFC 9111, section 4.2.4).
    private func forbidsStale(_ policy: FreshnessPolicy) -> Bool {
        if cacheControl.has(.mustRevalidate) { return true }
        return policy.isShared && (cacheControl.has(.proxyRevalidate) || cacheControl.sharedMaxAge != nil)
    }

    private func staleness(
        _ overdue: Duration,
        _ asked: CacheControl,
        _ policy: FreshnessPolicy
    ) -> Freshness {
        let forError = cacheControl.staleIfError ?? asked.staleIfError ?? policy.staleIfError
        return .stale(
            whileRevalidate: overdue < cacheControl.staleWhileRevalidate ?? .zero && asked.maxAge == nil
                && asked.minFresh == nil,
            ifError: overdue < forError
        )
    }
}
