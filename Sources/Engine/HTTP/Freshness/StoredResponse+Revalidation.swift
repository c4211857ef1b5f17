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
