import CalotypeCore
import CalotypeHTTP

/// Decides whether cached data may be used for a request (RFC 9111, section 4).
struct CacheJudge: Sendable {
    enum Verdict: Hashable, Sendable {
        /// Use it; if it is stale, the origin may be asked in the background.
        case serve(CacheUse, asksMeanwhile: Bool)
        /// Ask the origin first; the cached data may be used if the origin fails.
        case ask(orServe: Bool)
        /// Use neither the cached data nor the origin.
        case refuse
    }

    let policy: FreshnessPolicy
    /// The fields that are sent with each request.
    let fields: [HeaderField]
    let now: @Sendable () -> WallTime

    init(_ configuration: PipelineConfiguration) {
        policy = configuration.freshness
        now = configuration.wallClock
        var fields = configuration.headers
        fields.append(HeaderField("User-Agent", configuration.transport.userAgent))
        self.fields = fields
    }

    /// Returns the provenance of something made from `version` for requests that send `headers`.
    func provenance(
        _ version: SourceVersion?,
        _ headers: [HeaderField],
        from origin: PipelineEvent.Origin
    ) -> Provenance {
        Provenance(version, freshUntil: version.map { freshUntil($0, headers) }, from: origin)
    }

    /// The end of the freshness of `version` for requests that send `headers`; now if it is stale.
    func freshUntil(_ version: SourceVersion, _ headers: [HeaderField]) -> WallTime {
        let now = now()
        return if case .fresh(let until) = state(version, headers, now) { until } else { now }
    }

    /// Whether the picture needs no revalidation; faster than ``verdict(_:_:_:)``.
    func isFresh(_ picture: Picture, _ cachePolicy: CachePolicy) -> Bool {
        cachePolicy == .immutable || isFresh(until: picture.provenance.freshUntil)
    }

    /// Whether what is fresh until `end`, or forever if that is `nil`, needs no revalidation.
    func isFresh(until end: WallTime?) -> Bool {
        end.map { now() < $0 } ?? true
    }

    /// Decides whether cached data may be used for a request that sends `headers`.
    ///
    /// Data without a version has no age.
    func verdict(_ version: SourceVersion?, _ headers: [HeaderField], _ cachePolicy: CachePolicy) -> Verdict {
        guard let version, cachePolicy != .immutable else { return .serve(.hit, asksMeanwhile: false) }
        switch state(version, headers, now()) {
        case .fresh:
            return .serve(.hit, asksMeanwhile: false)
        case .stale(let whileRevalidate, let ifError):
            if cachePolicy == .cacheOnly { return .serve(.stale, asksMeanwhile: false) }
            return whileRevalidate ? .serve(.stale, asksMeanwhile: true) : .ask(orServe: ifError)
        case .mustRevalidate, .otherVariant:
            return cachePolicy == .cacheOnly ? .refuse : .ask(orServe: false)
        }
    }

    private func state(_ version: SourceVersion, _ headers: [HeaderField], _ now: WallTime) -> Freshness {
        let state = version.response.state(at: now, request: sent(headers), policy: policy)
        // After a redirect that may change, only the origin knows.
        guard version.isDetour, case .fresh = state else { return state }
        return .stale(whileRevalidate: false, ifError: false)
    }

    /// The fields that are sent with a request that has these `headers`.
    func sent(_ headers: [HeaderField]) -> HTTPHeaders {
        HTTPHeaders(fields + headers)
    }
}
