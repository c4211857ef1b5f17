/// Reads the track points of a GPX file (GPX 1.1, `<trkpt lat="…" lon="…">`) strictly.
///
/// It is not an XML parser: it knows tags, attributes and comments, and rejects anything else in a track
/// point.
struct GPXReader {
    struct SyntaxError: Error, CustomStringConvertible {
        let description: String
    }

    private var rest: Substring

    /// Returns the points in order, at most `limit` of them.
    static func points(in text: String, limit: Int = 1_000_000) throws -> [Workout.TrackPoint] {
        var reader = GPXReader(rest: text[...])
        guard text.contains("<gpx") else { throw SyntaxError(description: "this is not a GPX file") }
        var points: [Workout.TrackPoint] = []
        while let attributes = try reader.nextTrackPoint() {
            guard points.count < limit else { throw SyntaxError(description: "more than \(limit) points") }
            points.append(try point(attributes))
        }
        guard text.contains("</gpx>") else { throw SyntaxError(description: "the file is truncated") }
        return points
    }

    /// Returns the attributes of the next track point; `nil` if there is none.
    private mutating func nextTrackPoint() throws -> [Substring: Substring]? {
        while let start = rest.firstIndex(of: "<") {
            rest = rest[start...]
            if rest.hasPrefix("<!--") {
                _ = try upTo("-->", of: "a comment")
            } else {
                let tag = try upTo(">", of: "a tag")
                if tag.hasPrefix("<trkpt ") { return try attributes(of: tag.dropFirst("<trkpt ".count)) }
            }
        }
        return nil
    }

    /// Reads up to the end mark, and the mark itself.
    private mutating func upTo(_ end: String, of what: String) throws -> Substring {
        guard let range = rest.firstRange(of: end) else {
            throw SyntaxError(description: "\(what) has no end")
        }
        defer { rest = rest[range.upperBound...] }
        return rest[..<range.lowerBound]
    }

    private func attributes(of tag: Substring) throws -> [Substring: Substring] {
        var attributes: [Substring: Substring] = [:]
        var rest = tag.drop(while: \.isWhitespace)
        while !rest.isEmpty && rest != "/" {
            let parts = rest.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let quote = parts[1].first, quote == "\"" || quote == "'",
                let end = parts[1].dropFirst().firstIndex(of: quote)
            else { throw SyntaxError(description: "a track point has a wrong attribute: \(rest)") }
            attributes[parts[0]] = parts[1].dropFirst()[..<end]
            rest = parts[1][end...].dropFirst().drop(while: \.isWhitespace)
        }
        return attributes
    }

    private static func point(_ attributes: [Substring: Substring]) throws -> Workout.TrackPoint {
        func degrees(_ name: Substring, upTo limit: Double) throws -> Double {
            guard let text = attributes[name], let value = Double(text), abs(value) <= limit else {
                throw SyntaxError(description: "a track point has no valid \(name)")
            }
            return value
        }
        return try Workout.TrackPoint(
            latitude: degrees("lat", upTo: 90),
            longitude: degrees("lon", upTo: 180)
        )
    }
}
