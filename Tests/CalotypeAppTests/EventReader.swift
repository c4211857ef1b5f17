import CalotypeHTTP

/// Reads server-sent events.
struct EventReader {
    private var pieces: BodyStream.AsyncIterator
    private var rest = ""

    init(_ body: BodyStream) {
        pieces = body.makeAsyncIterator()
    }

    /// The next event, signs of life left out; `nil` at the end.
    mutating func next() async throws -> (name: String, data: JSONValue)? {
        while true {
            if let end = rest.firstRange(of: "\n\n") {
                let lines = rest[..<end.lowerBound].split(separator: "\n")
                rest = String(rest[end.upperBound...])
                if let event = try Self.event(lines) { return event }
            } else {
                guard let piece = try await pieces.next() else { return nil }
                rest += String(decoding: piece, as: UTF8.self)
            }
        }
    }

    private static func event(_ lines: [Substring]) throws -> (name: String, data: JSONValue)? {
        guard lines.count == 2, lines[0].hasPrefix("event: "), lines[1].hasPrefix("data: ") else {
            return nil
        }
        return (String(lines[0].dropFirst(7)), try JSONValue(Array(lines[1].dropFirst(6).utf8)))
    }
}
