/// What tells whether a picture is still the one that is kept: its entity tag and the date of its last change.
package struct Validators: Hashable, Sendable {
    /// The value of `ETag`.
    package let entityTag: EntityTag?
    /// The value of `Last-Modified` as the origin wrote it; `nil` where it is no date.
    package let lastModified: String?
    /// Whether the date tells two versions apart for sure: it is at least a second older than the answer that named it
    /// (RFC 9110, section 8.8.2.2).
    package let isDateStrong: Bool

    /// Reads the validators of an answer that came at `now`.
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

    /// Whether there are none.
    package var isEmpty: Bool { entityTag == nil && lastModified == nil }

    /// Whether a range may be asked for with them: equal validators mean equal bytes.
    package var isStrong: Bool { rangeCondition != nil }

    /// The fields that ask for the picture only if it has changed; empty where there are no validators.
    package var conditionalFields: [HeaderField] {
        var fields: [HeaderField] = []
        if let entityTag { fields.append(HeaderField("If-None-Match", entityTag.text)) }
        if let lastModified { fields.append(HeaderField("If-Modified-Since", lastModified)) }
        return fields
    }

    /// The fields that ask for the bytes from `offset` on, or for all of them if they have changed; `nil` where no
    /// validator is strong.
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

/// The value of an `ETag` field (RFC 9110, section 8.8.3), kept as it was written.
package struct EntityTag: Hashable, Sendable {
    /// The value as the origin wrote it, to be sent back.
    package let text: String

    /// The longest tag that is kept; longer ones say nothing.
    static let longest = 1024

    /// Creates a tag; `nil` where the text is empty, longer than 1,024 bytes or not printable.
    package init?(_ text: String) {
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        self.text = text
    }

    /// Whether the bytes of two answers with this tag are the same.
    ///
    /// A tag without its quotation marks is not valid, but some servers write and compare them; it counts as weak.
    package var isStrong: Bool {
        text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
    }

    /// Whether both name the same picture, perhaps in other bytes: the weak comparison of the RFC.
    package func matches(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    /// Whether both name the same bytes: the strong comparison of the RFC.
    package func matchesStrongly(_ other: EntityTag) -> Bool {
        isStrong && text == other.text
    }

    /// The tag without the mark of a weak one.
    package var opaque: Substring {
        text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
    }
}
