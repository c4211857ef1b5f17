package import CalotypeCore
package import CalotypeHTTPMessages

/// The start of an interrupted body, and the data needed to request the rest.
package struct ResumePoint: Hashable, Sendable {
    /// The meaning of the response to a request for the rest.
    package enum Step: Hashable, Sendable {
        /// The response's body continues the stored start; the whole body has `total` bytes.
        case append(total: ByteCount)
        /// The response carries the whole body; discard the stored start.
        case startAnew
        /// Neither the response nor the stored start can be used: request the whole body.
        case askAgain
        /// An ordinary response, for example an error; the stored start may serve a later attempt.
        case other
    }

    /// The number of bytes stored.
    package let count: ByteCount
    /// The length of the whole body, if known.
    package let total: ByteCount?
    /// The validators of the response that the stored start belongs to.
    package let validators: Validators

    /// Creates a resume point, or returns `nil` if the download cannot be resumed.
    ///
    /// That is so if no bytes or all bytes are stored, if no validator is strong, or if the body is encoded,
    /// so that its bytes are not those of the picture.
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

    /// The header fields that request the rest.
    package var fields: [HeaderField] { validators.rangeFields(fromByte: count.bytes) ?? [] }

    /// Interprets the response to a request with ``fields``.
    package func step(status: Int, headers: HTTPHeaders) -> Step {
        switch status {
        case 206: continuation(headers).map { .append(total: $0) } ?? .askAgain
        case 200, 203: .startAnew
        case 412, 416: .askAgain
        // The request asked for a range, not for a change.
        case 304: .askAgain
        default: .other
        }
    }

    /// Returns the length of the whole body if the response is exactly the missing rest of it.
    private func continuation(_ headers: HTTPHeaders) -> ByteCount? {
        let ranges = headers.values(of: "Content-Range")
        guard ranges.count == 1, let range = ContentRange(ranges[0]), let positions = range.positions,
            let whole = range.total ?? total?.bytes, whole == total?.bytes ?? whole,
            positions.lowerBound == count.bytes, positions.upperBound == whole - 1,
            isSameVersion(headers), Self.isIdentity(headers["Content-Encoding"])
        else { return nil }
        return headers["Content-Length"].map { $0 == "\(positions.count)" } ?? true ? ByteCount(whole) : nil
    }

    /// Whether no validator contradicts the stored ones; a response to `If-Range` may omit them.
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
