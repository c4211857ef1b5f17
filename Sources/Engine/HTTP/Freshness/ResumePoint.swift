package import CalotypeCore
package import CalotypeHTTPMessages

/// The beginning of a body that was cut, and what is needed to go on from there.
package struct ResumePoint: Hashable, Sendable {
    /// What the answer to a request for the rest means.
    package enum Step: Hashable, Sendable {
        /// Its body goes on where the beginning ends; the whole is `total` long.
        case append(total: ByteCount)
        /// Its body is the whole: the beginning is of no use any more.
        case startAnew
        /// Neither it nor the beginning is of use: ask again, for the whole.
        case askAgain
        /// It is an answer like any other, an error for example; the beginning may serve a later attempt.
        case other
    }

    /// How many bytes are there.
    package let count: ByteCount
    /// The length of the whole, where it was told.
    package let total: ByteCount?
    /// The validators of the answer that the beginning came with.
    package let validators: Validators

    /// Creates a point to go on from; `nil` where it cannot be done: nothing or everything is there, no validator is
    /// strong, or the body is encoded, so that its bytes are not those of the picture.
    package init?(
        count: ByteCount,
        total: ByteCount?,
        validators: Validators,
        contentEncoding: String? = nil
    ) {
        guard count.bytes > 0, validators.isStrong, Self.isIdentity(contentEncoding) else { return nil }
        if let total, count >= total { return nil }
        self.count = count
        self.total = total
        self.validators = validators
    }

    /// The fields that ask for the rest.
    package var fields: [HeaderField] { validators.rangeFields(fromByte: count.bytes) ?? [] }

    /// Decides what an answer to a request with ``fields`` means.
    package func step(status: Int, headers: HTTPHeaders) -> Step {
        switch status {
        case 206: continuation(headers).map { .append(total: $0) } ?? .askAgain
        case 200, 203: .startAnew
        case 412, 416: .askAgain
        // To a request that asks for a range, not whether something changed.
        case 304: .askAgain
        default: .other
        }
    }

    /// The length of the whole, where the answer is exactly the rest of the same bytes.
    private func continuation(_ headers: HTTPHeaders) -> ByteCount? {
        let ranges = headers.values(of: "Content-Range")
        guard ranges.count == 1, let range = ContentRange(ranges[0]), let positions = range.positions,
            let whole = range.total ?? total?.bytes, whole == total?.bytes ?? whole,
            positions.lowerBound == count.bytes, positions.upperBound == whole - 1,
            isSameVersion(headers), Self.isIdentity(headers["Content-Encoding"])
        else { return nil }
        return headers["Content-Length"].map { $0 == "\(positions.count)" } ?? true ? ByteCount(whole) : nil
    }

    /// Whether no validator of the answer speaks against it; an answer to `If-Range` may leave them out.
    private func isSameVersion(_ headers: HTTPHeaders) -> Bool {
        if let tag = headers["ETag"] {
            guard let known = validators.entityTag else { return true }
            return EntityTag(tag).map(known.matchesStrongly) ?? false
        }
        return headers["Last-Modified"].map { $0 == validators.lastModified } ?? true
    }

    private static func isIdentity(_ encoding: String?) -> Bool {
        encoding.map { $0.isEmpty || $0.lowercased() == "identity" } ?? true
    }
}
