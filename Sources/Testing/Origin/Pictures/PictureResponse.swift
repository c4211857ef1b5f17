import CalotypeHTTPMessages

/// The correct response for a picture: whole, partial or not modified (RFC 9110, sections 13 and 14).
enum PictureResponse {
    static func make(_ picture: ServedPicture, for call: Call) throws(OriginError) -> Response {
        let query = try call.pictureParameters()
        var response = Response(fields: fields(of: picture, query), body: picture.bytes)
        let conditions = Preconditions(
            HTTPHeaders(response.fields.map { HeaderField($0.name, $0.value) }),
            now: .now()
        )
        if conditions.isKnown(to: call.request.headers) {
            response.status = 304
            response.body = []
            if query.isBare { response.fields = [] }
            return response
        }
        if let range = call.request.headers["Range"].flatMap(ByteRange.init),
            conditions.allowRange(for: call.request.headers)
        {
            take(range, query.ranges, &response)
        }
        return response
    }

    static func fields(
        of picture: ServedPicture,
        _ query: PictureParameters
    ) -> [(name: String, value: String)] {
        var fields = [("Content-Type", picture.mediaType)]
        tag(of: picture, query).map { fields.append(("ETag", $0)) }
        if query.hasDate {
            fields.append(("Last-Modified", WallTime(secondsSince1970: picture.lastModified).httpText))
        }
        if query.ranges != .ignored { fields.append(("Accept-Ranges", "bytes")) }
        if let text = picture.cacheControl, !query.saysCacheControl { fields.append(("Cache-Control", text)) }
        return fields + query.fields
    }

    private static func tag(of picture: ServedPicture, _ query: PictureParameters) -> String? {
        switch query.tag {
        case .strong: picture.entityTag
        case .weak: "W/" + picture.entityTag
        case .none: nil
        }
    }

    /// Cuts `range` out of the complete picture in `response`.
    private static func take(_ range: ByteRange, _ way: PictureParameters.Ranges, _ response: inout Response)
    {
        let total = response.body.count
        switch (range.resolved(in: total), way) {
        case (_, .ignored): break
        case (nil, _), (_, .refused):
            response = .text("The range is beyond the end.", status: 416)
            response.fields.append(("Content-Range", ContentRange(nil, of: total).text))
        case (let part?, _):
            // If shifted, the response has the requested bytes but labels them as others.
            let shift = way == .shifted ? -1 : 0
            response.status = 206
            response.body = Array(response.body[part])
            let claimed = part.lowerBound + shift..<part.upperBound + shift
            response.fields.append(("Content-Range", ContentRange(claimed, of: total).text))
        }
    }
}

/// The query of a picture's path: deviations in the caching and range behaviour.
struct PictureParameters: Sendable {
    /// How the entity tag is written.
    enum Tag: String, CaseIterable {
        case strong, weak, none
    }

    /// How the origin treats a `Range` field.
    enum Ranges: String, CaseIterable {
        case served, ignored, shifted, refused
    }

    /// The description of each query, for readers.
    static let help = [
        (
            "?cache=TEXT",
            "Cache-Control: TEXT, such as cache=max-age=60; --cache-control sets it for all images."
        ),
        ("?field=NAME:TEXT", "Another header field, such as field=Vary:Accept; can be repeated."),
        ("?tag=weak", "A weak ETag; tag=none sends no ETag."),
        ("?date=none", "Sends no Last-Modified."),
        ("?unchanged=bare", "A 304 response has no header fields."),
        (
            "?ranges=ignored",
            "Responds to a range with the whole body; shifted: with a wrong Content-Range; refused: with 416."
        ),
    ]

    private(set) var fields: [(name: String, value: String)] = []
    /// Whether the query sets the Cache-Control.
    private(set) var saysCacheControl = false
    private(set) var tag = Tag.strong
    private(set) var ranges = Ranges.served
    private(set) var hasDate = true
    private(set) var isBare = false

    init(_ request: RequestHead, cacheControl: String?) throws(OriginError) {
        if let text = request.query("cache") ?? cacheControl {
            fields.append(try Self.field("Cache-Control", text))
            saysCacheControl = true
        }
        for text in request.queries("field") {
            let sides = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, !sides[0].isEmpty else {
                throw OriginError.refusal(status: 400, message: "field must be NAME:TEXT.")
            }
            fields.append(try Self.field(String(sides[0]), String(sides[1])))
        }
        tag = try Self.choice("tag", request) ?? .strong
        ranges = try Self.choice("ranges", request) ?? .served
        hasDate = request.query("date") != "none"
        isBare = request.query("unchanged") == "bare"
    }

    private static func field(
        _ name: String,
        _ value: String
    ) throws(OriginError) -> (name: String, value: String) {
        guard (name + value).utf8.allSatisfy({ $0 > 31 && $0 != 127 }) else {
            throw OriginError.refusal(
                status: 400,
                message: "A header field must not contain control characters."
            )
        }
        return (name, value)
    }

    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String,
        _ request: RequestHead
    ) throws(OriginError) -> Choice? {
        guard let word = request.query(name) else { return nil }
        if let choice = Choice(rawValue: word) { return choice }
        let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw OriginError.refusal(status: 400, message: "\(name) must be one of \(words).")
    }
}
