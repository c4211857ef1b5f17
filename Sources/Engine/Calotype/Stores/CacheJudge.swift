import CalotypeCore
import CalotypeHTTP

/// Decides whether what was kept answers a request (RFC 9111, section 4).
struct CacheJudge: Sendable {
    enum Verdict: Hashable, Sendable {
        /// It answers the request; where it is stale, the origin may be asked meanwhile.
        case serve(CacheUse, asksMeanwhile: Bool)
        /// The origin has to be asked first; what was kept may answer where the origin cannot.
        case ask(orServe: Bool)
        /// It must not answer, and the origin must not be asked.
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

    /// Returns the provenance of something made from `version`, with its freshness for requests that send `headers`.
    func provenance(
        _ version: SourceVersion?,
        _ headers: [HeaderField],
        from origin: PipelineEvent.Origin
    ) -> Provenance {
        Provenance(version, freshUntil: version.map { freshUntil($0, headers) }, from: origin)
    }

    /// The end of the time for which `version` answers requests that send `headers`; now, where it is stale.
    func freshUntil(_ version: SourceVersion, _ headers: [HeaderField]) -> WallTime {
        let now = now()
        return if case .fresh(let until) = state(version, headers, now) { until } else { now }
    }

    /// Whether the picture answers as it is: ``verdict(_:_:_:)`` in short.
    func isFresh(_ picture: Picture, _ cachePolicy: CachePolicy) -> Bool {
        guard let end = picture.provenance.freshUntil, cachePolicy != .immutable else { return true }
        return now() < end
    }

    /// Decides whether what is kept answers a request that sends `headers`; without a version it has no age.
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
        // Where the way led through a redirect that may change, only the origin knows.
        guard version.isDetour, case .fresh = state else { return state }
        return .stale(whileRevalidate: false, ifError: false)
    }

    /// The fields that go out with a request of these `headers`.
    func sent(_ headers: [HeaderField]) -> HTTPHeaders {
        HTTPHeaders(fields + headers)
    }
}
