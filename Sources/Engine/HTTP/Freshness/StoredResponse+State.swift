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
