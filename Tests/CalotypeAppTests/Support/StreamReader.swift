import CalotypeHTTP
import FoundationEssentials

/// Cuts a body into server-sent events.
struct StreamReader {
    struct Event: Sendable {
        let name: String
        let data: String

        func json<Value: Decodable>(as type: Value.Type) throws -> Value {
            try JSONDecoder().decode(type, from: Data(data.utf8))
        }
    }

    private var pieces: BodyStream.Iterator
    private var rest = ""

    init(_ pieces: BodyStream.Iterator) {
        self.pieces = pieces
    }

    /// The next event, comments passed over; `nil` at the end.
    mutating func next() async throws -> Event? {
        while true {
            while let end = rest.firstRange(of: "\n\n") {
                let lines = rest[..<end.lowerBound].split(separator: "\n")
                rest = String(rest[end.upperBound...])
                if let event = Self.event(lines) { return event }
            }
            guard let piece = try await pieces.next() else { return nil }
            rest += String(decoding: piece, as: UTF8.self)
        }
    }

    private static func event(_ lines: [Substring]) -> Event? {
        let name = lines.first { $0.hasPrefix("event: ") }?.dropFirst(7)
        let data = lines.first { $0.hasPrefix("data: ") }?.dropFirst(6)
        guard let name, let data else { return nil }
        return Event(name: String(name), data: String(data))
    }
}
