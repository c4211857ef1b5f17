package import CalotypeHTTPMessages

/// How long answers are good whose origin does not say so, and for whom they are kept.
///
/// What an origin does say always counts; the defaults follow RFC 9111, which leaves the rest to the cache.
public struct FreshnessPolicy: Hashable, Sendable {
    /// Whether pictures are given to several people; `false` by default: the program works for one user.
    ///
    /// If so, answers marked `private` are not kept, and those to requests with `Authorization` only where the origin
    /// allows it.
    public var isShared = false
    /// The part of the time since a picture's last change for which it is taken to be unchanged: 0.1.
    public var heuristicFraction = 0.1
    /// The most that ``heuristicFraction`` may give: 1 day.
    public var heuristicMaximum = Duration.seconds(86_400)
    /// How long a picture is fresh about which the origin says nothing at all, not even when it last changed: 300 s.
    public var lifetimeOfUnknown = Duration.seconds(300)
    /// How long a 404 or 410 is believed where the origin names no time: 60 s.
    public var negativeLifetime = Duration.seconds(60)
    /// How long after its end a picture may be given when its origin fails, where the origin names no time: zero, not
    /// at all.
    public var staleIfError = Duration.zero

    /// Creates the default policy.
    public init() {}

    /// Whether `response` may be kept (RFC 9111, section 3).
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - request: The fields that were sent, `Authorization` included: see ``HTTPRequest/sentFields``.
    /// - Returns: Whether it may; not whether it is of use.
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

    /// How long `response` is fresh, counted from its age zero (RFC 9111, section 4.2.1).
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
            // Who asks for revalidation does not mean that nothing is known.
            return response.cacheControl.has(.mustRevalidate) ? .zero : lifetimeOfUnknown
        }
        let seconds = Double((response.date - changed).wholeSeconds) * heuristicFraction
        // No number at all is not greater either.
        return seconds > 0
            ? .seconds(Int(min(seconds, Double(max(heuristicMaximum.wholeSeconds, 0))))) : .zero
    }
}

/// Whether a kept answer may be given (RFC 9111, section 4).
package enum Freshness: Hashable, Sendable {
    /// It may be given without asking the origin, up to that moment.
    case fresh(until: WallTime)
    /// It is to be asked for anew. Until the new answer is there it may be given with `whileRevalidate`; with `ifError`
    /// it may be given in the place of an error: where the network failed or the origin answered 500 to 599.
    case stale(whileRevalidate: Bool, ifError: Bool)
    /// It may be given only after the origin said that it has not changed.
    case mustRevalidate
    /// It answers a request with other header fields, and must not be given: ask for the picture as if nothing were
    /// kept.
    case otherVariant
}

extension StoredResponse {
    /// Whether the answer may be given to a request, now.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - request: The fields that would be sent; their `Cache-Control` counts too.
    ///   - policy: How long answers are good that do not say so.
    /// - Returns: What may be done with it.
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

    /// How old the answer is (RFC 9111, section 4.2.3); never negative.
    ///
    /// The age that caches on the way have told is taken as the initial one. The `Date` field is not subtracted from
    /// the local clock, so that a clock that goes wrong does not make all answers old at once.
    package func currentAge(at now: WallTime) -> Duration {
        let delay = max(responseTime - requestTime, .zero)
        // More than an hour of waiting is a clock that was set meanwhile.
        let initial = age + (delay > .seconds(3600) ? .zero : delay)
        return initial + max(now - arrival(at: now), .zero)
    }

    /// When the answer came.
    ///
    /// Where the origin's clock and the local one were more than a day apart then, the local one was wrong, for example
    /// 1970 after a start without a network; the origin's is taken, unless that moment is still to come.
    private func arrival(at now: WallTime) -> WallTime {
        let told = date + age
        let isPlausible = max(told - responseTime, responseTime - told) <= .seconds(86_400)
        return isPlausible || told > now ? responseTime : told
    }

    /// How long the answer satisfies the request; not positive where it does not.
    private func remaining(_ lifetime: Duration, _ age: Duration, _ asked: CacheControl) -> Duration {
        var rest = lifetime - age - (asked.minFresh ?? .zero)
        if let maxAge = asked.maxAge { rest = min(rest, maxAge - age) }
        return rest
    }

    private func withinRequest(_ age: Duration, _ asked: CacheControl) -> Bool {
        asked.maxAge.map { age < $0 } ?? true
    }

    /// Whether the origin forbids that the answer is given after its end (RFC 9111, section 4.2.4).
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
