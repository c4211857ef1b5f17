/// The entity tag and the date of the last change, which show whether a stored response is still current.
package struct Validators: Hashable, Sendable {
    /// The value of `ETag`.
    package let entityTag: EntityTag?
    /// The value of `Last-Modified` as the origin wrote it; `nil` if it is not a date.
    package let lastModified: String?
    /// Whether the date distinguishes any two versions.
    ///
    /// It does if it is at least a second older than the response that contained it (RFC 9110, section
    /// 8.8.2.2).
    package let isDateStrong: Bool

    /// Reads the validators of a response that arrived at `now`.
    package init(_ headers: HTTPHeaders, now: WallTime) {
        let changed = HTTPDate.moment(headers["Last-Modified"], now: now)
        let date = HTTPDate.moment(headers["Date"], now: now)
        self.init(
            entityTag: headers["ETag"].flatMap(EntityTag.init),
            lastModified: changed == nil ? nil : headers["Last-Modified"],
            isDateStrong: changed.flatMap { changed in date.map { $0 - changed >= .seconds(1) } } ?? false
        )
    }

    package init(entityTag: EntityTag?, lastModified: String?, isDateStrong: Bool) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.isDateStrong = isDateStrong
    }

    /// Whether there are no validators.
    package var isEmpty: Bool { entityTag == nil && lastModified == nil }

    /// Whether they allow a range request: equal validators mean equal bytes.
    package var isStrong: Bool { rangeCondition != nil }

    /// The fields that request the content only if it has changed; empty if there are no validators.
    package var conditionalFields: [HeaderField] {
        var fields: [HeaderField] = []
        if let entityTag { fields.append(HeaderField("If-None-Match", entityTag.text)) }
        if let lastModified { fields.append(HeaderField("If-Modified-Since", lastModified)) }
        return fields
    }

    /// The fields that request the bytes from `offset` on, or all of them if they have changed.
    ///
    /// `nil` if no validator is strong.
    package func rangeFields(fromByte offset: Int) -> [HeaderField]? {
        rangeCondition.map {
            [HeaderField("Range", "bytes=\(offset)-"), HeaderField("If-Range", $0)]
        }
    }

    private var rangeCondition: String? {
        guard let entityTag else { return isDateStrong ? lastModified : nil }
        return entityTag.isStrong ? entityTag.text : nil
    }
}
