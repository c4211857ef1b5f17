/// The right response for a picture: whole, a part of it, or that it has not changed (RFC 9110, sections 13 and 14).
enum PictureResponse {
    static func make(_ picture: ServedPicture, for request: RequestHead) -> Response {
        var response = Response(fields: fields(of: picture), body: picture.bytes)
        if isUnchanged(picture, request) {
            response.status = 304
            response.body = []
            return response
        }
        guard let range = request.fields["range"], mayRange(picture, request) else { return response }
        switch ByteRange.parse(range, of: picture.bytes.count) {
        case .ignored: break
        case .unsatisfiable:
            response = .text("The range lies beyond the end.", status: 416)
            response.fields.append(("Content-Range", "bytes */\(picture.bytes.count)"))
        case .part(let part):
            response.status = 206
            response.body = Array(picture.bytes[part])
            let last = part.upperBound - 1
            response.fields.append(
                ("Content-Range", "bytes \(part.lowerBound)-\(last)/\(picture.bytes.count)")
            )
        }
        return response
    }

    static func fields(of picture: ServedPicture) -> [(name: String, value: String)] {
        [
            ("Content-Type", picture.mediaType), ("ETag", picture.entityTag),
            ("Last-Modified", HTTPDate.text(picture.lastModified)), ("Accept-Ranges", "bytes"),
        ]
    }

    /// If-None-Match goes before If-Modified-Since, which is compared as text: clients send back what they were given.
    private static func isUnchanged(_ picture: ServedPicture, _ request: RequestHead) -> Bool {
        guard let tags = request.fields["if-none-match"] else {
            return request.fields["if-modified-since"] == HTTPDate.text(picture.lastModified)
        }
        return tags.split(separator: ",").contains { tag in
            let bare = tag.drop { $0 == " " }
            return bare == "*" || (bare.hasPrefix("W/") ? bare.dropFirst(2) : bare) == picture.entityTag
        }
    }

    /// If-Range asks for a part only of the very same picture.
    private static func mayRange(_ picture: ServedPicture, _ request: RequestHead) -> Bool {
        guard let condition = request.fields["if-range"] else { return true }
        return condition == picture.entityTag || condition == HTTPDate.text(picture.lastModified)
    }
}

/// The part of a body that a Range field asks for.
enum ByteRange: Equatable {
    case part(Range<Int>)
    case unsatisfiable
    /// Several ranges or no valid one: the whole body is sent.
    case ignored

    static func parse(_ field: String, of length: Int) -> ByteRange {
        guard field.hasPrefix("bytes="), !field.contains(",") else { return .ignored }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return .ignored }
        switch (Int(ends[0]), Int(ends[1])) {
        case (nil, let suffix?) where ends[0].isEmpty:
            return suffix > 0 && length > 0 ? .part(max(0, length - suffix)..<length) : .unsatisfiable
        case (let first?, nil) where ends[1].isEmpty:
            return first < length ? .part(first..<length) : .unsatisfiable
        case (let first?, let last?) where first <= last:
            return first < length ? .part(first..<min(last, length - 1) + 1) : .unsatisfiable
        default: return .ignored
        }
    }
}
