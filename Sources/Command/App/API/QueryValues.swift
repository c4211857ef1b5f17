import CalotypeCore
import CalotypeHTTPMessages

/// The parameters in the query of a target, in the format of forms and `URLSearchParams`.
struct QueryValues: Sendable {
    private var values: [String: String] = [:]

    /// Parses the query of `target`; the listener's limit on the request line also limits the query.
    ///
    /// - Throws: 400 if the query is not valid text or repeats a name.
    init(of target: String) throws(APIError) {
        let query = target.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
        for pair in FormPairs.decoded(query.utf8) {
            guard let (name, value) = pair, !(name + value).utf8.contains(0) else {
                throw .invalid("the query is not percent-encoded UTF-8")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw .invalid("the query contains '\(name.prefix(40))' more than once")
            }
        }
    }

    /// The value of `name`; `nil` if it is missing or empty.
    subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the integer value of `name`; `other` if it is missing.
    func number(_ name: String, in range: ClosedRange<Int>, else other: Int) throws(APIError) -> Int {
        guard let text = self[name] else { return other }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            range.contains(number)
        else {
            throw .invalid("\(name) must be a whole number, \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns the text value of `name`, which has at most `limit` bytes; `nil` if it is missing.
    func text(_ name: String, atMost limit: Int) throws(APIError) -> String? {
        guard let text = self[name] else { return nil }
        guard text.utf8.count <= limit else {
            throw .invalid("\(name) has \(text.utf8.count) bytes; at most \(limit) are allowed")
        }
        return text
    }

    /// Returns the two-letter country code in `country`; `us` if it is missing.
    func country() throws(APIError) -> String {
        guard let text = self["country"] else { return "us" }
        guard text.utf8.count == 2, text.allSatisfy({ $0.isASCII && $0.isLetter }) else {
            throw .invalid("country must be a two-letter code such as us or de (ISO 3166)")
        }
        return text.lowercased()
    }

    /// Returns the case that `name` selects; `nil` if it is missing.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String,
        of type: Choice.Type
    ) throws(APIError) -> Choice? where Choice.RawValue == String {
        guard let text = self[name] else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("\(name) must be one of \(names)")
        }
        return choice
    }

    /// Returns the image size in `name`, 1 to `most` pixels, rounded up so that the caches have few sizes.
    func side(_ name: String = "side", else other: Int, most: Int = 1024) throws(APIError) -> Int {
        Self.side(atLeast: try number(name, in: 1...most, else: other))
    }

    /// The maximum size for an image that is shown on its own.
    static let mostAlone = 4096

    /// Returns the smallest supported size that is not less than `side`.
    static func side(atLeast side: Int) -> Int {
        [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096].first { $0 >= side } ?? side
    }
}

extension APIError {
    /// Returns the error for an invalid value.
    static func invalid(_ message: String) -> APIError { APIError(400, "invalid_query", message) }
}
