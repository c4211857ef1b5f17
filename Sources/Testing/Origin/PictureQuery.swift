/// What the query of a picture's path wants different: what the answer says about caching and ranges.
struct PictureQuery: Sendable {
    /// How the entity tag is written.
    enum Tag: String, CaseIterable {
        case strong, weak, none
    }

    /// What becomes of a `Range` field.
    enum Ranges: String, CaseIterable {
        case served, ignored, shifted, refused
    }

    /// What each query does, for people.
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
    /// Whether the fields say how long the answer may be kept.
    private(set) var saysCacheControl = false
    private(set) var tag = Tag.strong
    private(set) var ranges = Ranges.served
    private(set) var hasDate = true
    private(set) var isBare = false

    init(_ request: RequestHead, cacheControl: String?) throws(Refusal) {
        if let text = request.query("cache") ?? cacheControl {
            fields.append(try Self.field("Cache-Control", text))
            saysCacheControl = true
        }
        for text in request.queries("field") {
            let sides = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, !sides[0].isEmpty else {
                throw Refusal(status: 400, message: "field is NAME:TEXT.")
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
    ) throws(Refusal) -> (name: String, value: String) {
        guard (name + value).utf8.allSatisfy({ $0 > 31 && $0 != 127 }) else {
            throw Refusal(status: 400, message: "A header field has no control characters.")
        }
        return (name, value)
    }

    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String,
        _ request: RequestHead
    ) throws(Refusal) -> Choice? {
        guard let word = request.query(name) else { return nil }
        if let choice = Choice(rawValue: word) { return choice }
        let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw Refusal(status: 400, message: "\(name) is one of \(words).")
    }
}
