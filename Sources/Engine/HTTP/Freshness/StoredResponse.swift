import CalotypeCore
package import CalotypeHTTPMessages

/// The facts about a response that decide later whether its picture may still be used (RFC 9111).
///
/// The body is not part of it. Times are those of the local clock, which may jump; an impossible moment never
/// counts as an age.
package struct StoredResponse: Hashable, Sendable {
    /// The content of the `Expires` field.
    package enum Expiry: Hashable, Sendable {
        /// The response had no `Expires` field.
        case unknown
        /// The value was not a date, such as `0`, so the response was stale from the start.
        case past
        case at(WallTime)
    }

    /// The status code.
    package let status: Int
    /// When the origin created the response, or when it arrived if the origin does not say.
    package internal(set) var date: WallTime
    /// The expiry time from `Expires`.
    package internal(set) var expiry: Expiry
    /// The age of the response on arrival, from its `Age` field.
    package internal(set) var age: Duration
    /// The directives of `Cache-Control`.
    package internal(set) var cacheControl: CacheControl
    /// The validators to ask the origin whether the picture has changed.
    package internal(set) var validators: Validators
    /// When the picture last changed.
    package internal(set) var lastModified: WallTime?
    /// The requests that the response matches.
    package internal(set) var variant: VariantKey
    /// When the request was sent.
    package internal(set) var requestTime: WallTime
    /// When the response arrived.
    package internal(set) var responseTime: WallTime

    /// Extracts the stored facts from a response.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - headers: The header fields of the response.
    ///   - request: The request's header fields, including `Authorization`: see ``HTTPRequest/sentFields``.
    ///   - requestTime: When the request was sent.
    ///   - responseTime: When the head of the response arrived.
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

    /// Whether no request or validator can ever match the response: `Vary: *` without an entity tag.
    package var isUnmatchable: Bool { variant.isUnmatchable && validators.entityTag == nil }

    static func moment(_ name: String, _ headers: HTTPHeaders, _ now: WallTime) -> WallTime? {
        HTTPDate.moment(headers[name], now: now)
    }

    static func expiry(_ headers: HTTPHeaders, _ now: WallTime) -> Expiry {
        guard let text = headers["Expires"] else { return .unknown }
        return HTTPDate.moment(text, now: now).map { .at($0) } ?? .past
    }

    /// The `Age` of a response; zero if the field is missing or not a number.
    static func age(_ headers: HTTPHeaders) -> Duration {
        headers["Age"].flatMap { CacheControl.lifetime($0) } ?? .zero
    }
}

extension StoredResponse {
    /// Returns the stored response after the origin sent a 304 for the fields of ``validators``.
    ///
    /// Fields in the 304 replace the stored ones, and all others stay (RFC 9111, sections 3.2 and 4.3.4). The
    /// times and the age of the 304 replace the old ones.
    ///
    /// - Parameters:
    ///   - headers: The header fields of the 304.
    ///   - request: The request's header fields.
    ///   - requestTime: When the request was sent.
    ///   - responseTime: When the head of the 304 arrived.
    /// - Returns: `nil` if the 304 names a different entity tag than the request did. It then describes
    ///   another picture, which must be requested without a condition.
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

/// The fields that `Vary` names, with the values that the request sent for them (RFC 9111, section 4.1).
package struct VariantKey: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        /// The field name in lower case.
        let name: String
        /// The value sent, without blanks at its ends and around its commas; `nil` if the field was not sent.
        let value: String?
    }

    /// The maximum number of names; a response that names more matches no request.
    static let most = 16
    /// The maximum length of a value that is stored as it is.
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

    /// Whether a request with the fields of `request` would receive the same response.
    package func matches(_ request: HTTPHeaders) -> Bool {
        !isUnmatchable && entries.allSatisfy { $0 == Self.entry($0.name, request) }
    }

    private static func entry(_ name: String, _ request: HTTPHeaders) -> Entry {
        let values = request.values(of: name)
        guard !values.isEmpty else { return Entry(name: name, value: nil) }
        let parts = values.flatMap { $0.split(separator: ",") }.map { $0.trimmingBlanks() }
        return Entry(name: name, value: abridged(parts.joined(separator: ","), of: name))
    }

    /// Returns the value, or a hash if it is long or secret, because the result may be written to a file.
    private static func abridged(_ value: String, of name: String) -> String {
        let isSecret = ["authorization", "cookie"].contains(name)
        guard isSecret || value.utf8.count > longest else { return value }
        return "#" + String(StableHash.hash64(value), radix: 16)
    }
}
