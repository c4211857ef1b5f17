/// What is kept of an answer, so as to judge later whether its picture may still be given (RFC 9111).
///
/// It does not hold the body. Times are the local clock's, which may jump: a moment that cannot be is never taken for
/// an age.
package struct StoredResponse: Hashable, Sendable {
    /// What the `Expires` field said.
    package enum Expiry: Hashable, Sendable {
        /// There was none.
        case unknown
        /// It was no date, such as `0`, and means that the answer was stale from the beginning.
        case past
        case at(WallTime)
    }

    /// The status code.
    package let status: Int
    /// When the origin made the answer; where it did not say so, when it came.
    package internal(set) var date: WallTime
    /// The end that `Expires` named.
    package internal(set) var expiry: Expiry
    /// The age that the answer had when it came, as its `Age` field told.
    package internal(set) var age: Duration
    /// The directives of `Cache-Control`.
    package internal(set) var cacheControl: CacheControl
    /// What to ask with whether the picture has changed.
    package internal(set) var validators: Validators
    /// When the picture last changed.
    package internal(set) var lastModified: WallTime?
    /// Which requests it answers.
    package internal(set) var variant: VariantKey
    /// When the request was sent.
    package internal(set) var requestTime: WallTime
    /// When the answer came.
    package internal(set) var responseTime: WallTime

    /// Keeps what counts of an answer.
    ///
    /// - Parameters:
    ///   - status: Its status code.
    ///   - headers: Its header fields.
    ///   - request: The fields that were sent, `Authorization` included: see ``HTTPRequest/sentFields``.
    ///   - requestTime: When the request was sent.
    ///   - responseTime: When the head of the answer came.
    package init(
        status: Int,
        headers: HTTPHeaders,
        request: HTTPHeaders,
        requestTime: WallTime,
        responseTime: WallTime
    ) {
        self.status = status
        self.requestTime = requestTime
        self.responseTime = responseTime
        date = Self.moment("Date", headers, responseTime) ?? responseTime
        expiry = Self.expiry(headers, responseTime)
        age = Self.age(headers)
        cacheControl = CacheControl(headers)
        validators = Validators(headers, now: responseTime)
        lastModified = Self.moment("Last-Modified", headers, responseTime)
        variant = VariantKey(vary: headers.values(of: "Vary"), request: request)
    }

    init(
        status: Int,
        date: WallTime,
        expiry: Expiry,
        age: Duration,
        cacheControl: CacheControl,
        validators: Validators,
        lastModified: WallTime?,
        variant: VariantKey,
        requestTime: WallTime,
        responseTime: WallTime
    ) {
        self.status = status
        self.date = date
        self.expiry = expiry
        self.age = age
        self.cacheControl = cacheControl
        self.validators = validators
        self.lastModified = lastModified
        self.variant = variant
        self.requestTime = requestTime
        self.responseTime = responseTime
    }

    /// Whether neither a request nor a validator can ever match it: `Vary: *` without an entity tag.
    package var isUnmatchable: Bool { variant.isUnmatchable && validators.entityTag == nil }

    static func moment(_ name: String, _ headers: HTTPHeaders, _ now: WallTime) -> WallTime? {
        HTTPDate.moment(headers[name], now: now)
    }

    static func expiry(_ headers: HTTPHeaders, _ now: WallTime) -> Expiry {
        guard let text = headers["Expires"] else { return .unknown }
        return HTTPDate.moment(text, now: now).map { .at($0) } ?? .past
    }

    /// A value that is no number counts as zero, as if there were none.
    static func age(_ headers: HTTPHeaders) -> Duration {
        headers["Age"].flatMap { CacheDirective(name: "age", argument: $0).lifetime } ?? .zero
    }
}
