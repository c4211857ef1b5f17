import CalotypeCore
package import CalotypeHTTPMessages
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
        headers["Age"].flatMap { CacheControl.lifetime($0) } ?? .zero
    }
}

extension StoredResponse {
    /// What is to be kept after the origin answered 304 to a request with the fields of ``validators``.
    ///
    /// Fields that the 304 names replace those that were kept, all others stay (RFC 9111, sections 3.2 and 4.3.4); its
    /// times and its age take the place of the old ones.
    ///
    /// - Parameters:
    ///   - headers: The header fields of the 304.
    ///   - request: The fields that were sent.
    ///   - requestTime: When the request was sent.
    ///   - responseTime: When the head of the 304 came.
    /// - Returns: `nil` where the 304 names another entity tag than the one that was asked with: it is then about
    ///   another picture, which is to be asked for without a condition.
    package func updated(
        by headers: HTTPHeaders,
        request: HTTPHeaders,
        requestTime: WallTime,
        responseTime: WallTime
    ) -> StoredResponse? {
        if let tag = headers["ETag"].flatMap(EntityTag.init), let known = validators.entityTag {
            guard tag.matches(known) else { return nil }
        }
        var next = self
        next.requestTime = requestTime
        next.responseTime = responseTime
        next.date = Self.moment("Date", headers, responseTime) ?? responseTime
        next.age = Self.age(headers)
        if headers["Expires"] != nil { next.expiry = Self.expiry(headers, responseTime) }
        if headers["Cache-Control"] ?? headers["Pragma"] != nil { next.cacheControl = CacheControl(headers) }
        next.takeValidators(of: headers)
        let vary = headers.values(of: "Vary")
        if !vary.isEmpty { next.variant = VariantKey(vary: vary, request: request) }
        return next
    }

    private mutating func takeValidators(of headers: HTTPHeaders) {
        let new = Validators(headers, now: responseTime)
        lastModified = Self.moment("Last-Modified", headers, responseTime) ?? lastModified
        validators = Validators(
            entityTag: new.entityTag ?? validators.entityTag,
            lastModified: new.lastModified ?? validators.lastModified,
            isDateStrong: new.lastModified == nil ? validators.isDateStrong : new.isDateStrong
        )
    }
}

/// What the `Vary` field of an answer names, with what the request sent for it (RFC 9111, section 4.1).
package struct VariantKey: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        /// In lower case.
        let name: String
        /// The value that was sent, blanks at its ends and around its commas left out; `nil` where none was.
        let value: String?
    }

    /// The most names that are looked at; an answer that names more matches no request.
    static let most = 16
    /// The longest value that is kept as it is.
    static let longest = 64

    let entries: [Entry]
    /// Whether no request matches: `Vary: *`.
    package let isUnmatchable: Bool

    init(entries: [Entry], isUnmatchable: Bool) {
        self.entries = entries
        self.isUnmatchable = isUnmatchable
    }

    package init(vary: [String], request: HTTPHeaders) {
        let names = Set(
            vary.flatMap { $0.split(separator: ",") }.map { $0.trimmingBlanks().lowercased() }
        ).subtracting([""])
        let isKept = names.count <= Self.most && names.allSatisfy { $0.utf8.count <= Self.longest }
        isUnmatchable = names.contains("*") || !isKept
        entries = isUnmatchable ? [] : names.sorted().map { Self.entry($0, request) }
    }

    /// Whether a request with the fields `request` would be given the same answer.
    package func matches(_ request: HTTPHeaders) -> Bool {
        !isUnmatchable && entries.allSatisfy { $0 == Self.entry($0.name, request) }
    }

    private static func entry(_ name: String, _ request: HTTPHeaders) -> Entry {
        let values = request.values(of: name)
        guard !values.isEmpty else { return Entry(name: name, value: nil) }
        let parts = values.flatMap { $0.split(separator: ",") }.map { $0.trimmingBlanks() }
        return Entry(name: name, value: abridged(parts.joined(separator: ","), of: name))
    }

    /// The value itself, or a hash of it where it is long or secret: what is kept may lie in a file.
    private static func abridged(_ value: String, of name: String) -> String {
        let isSecret = ["authorization", "cookie"].contains(name)
        guard isSecret || value.utf8.count > longest else { return value }
        return "#" + String(StableHash.hash64(value), radix: 16)
    }
}
