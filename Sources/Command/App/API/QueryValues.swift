import CalotypeCore
import CalotypeHTTPMessages

/// The names and values in the query of a target, as forms and `URLSearchParams` write them.
struct QueryValues: Sendable {
    private var values: [String: String] = [:]

    /// Reads the query of `target`; the listener's limit on the request line bounds it.
    ///
    /// - Throws: 400 for what is no text, and for a name that is there twice.
    init(of target: String) throws(APIError) {
        let query = target.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
        for pair in FormPairs.decoded(query.utf8) {
            guard let (name, value) = pair, !(name + value).utf8.contains(0) else {
                throw .invalid("the query is not percent-encoded text in UTF-8")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw .invalid("the query has '\(name.prefix(40))' twice")
            }
        }
    }

    /// The value of `name`; `nil` where there is none, or an empty one.
    subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The whole number that `name` has, or else `other`.
    func number(_ name: String, in range: ClosedRange<Int>, else other: Int) throws(APIError) -> Int {
        guard let text = self[name] else { return other }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            range.contains(number)
        else {
            throw .invalid("\(name) has to be a whole number, \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The text that `name` has, at most `limit` bytes of it; `nil` where there is none.
    func text(_ name: String, atMost limit: Int) throws(APIError) -> String? {
        guard let text = self[name] else { return nil }
        guard text.utf8.count <= limit else {
            throw .invalid("\(name) has \(text.utf8.count) bytes; at most \(limit) are allowed")
        }
        return text
    }

    /// The two letters of a country that `country` has, `us` where there are none.
    func country() throws(APIError) -> String {
        guard let text = self["country"] else { return "us" }
        guard text.utf8.count == 2, text.allSatisfy({ $0.isASCII && $0.isLetter }) else {
            throw .invalid("country has to be two letters such as us or de (ISO 3166)")
        }
        return text.lowercased()
    }

    /// The case that `name` has; `nil` where it has none.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String,
        of type: Choice.Type
    ) throws(APIError) -> Choice? where Choice.RawValue == String {
        guard let text = self[name] else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("\(name) has to be one of \(names)")
        }
        return choice
    }

    /// The size of a picture that `name` has: 1 to 1,024 pixels, made so large that there are few sizes in the caches.
    func side(_ name: String = "side", else other: Int) throws(APIError) -> Int {
        Self.side(atLeast: try number(name, in: 1...1024, else: other))
    }

    /// The smallest of the few sizes that is not less than `side`.
    static func side(atLeast side: Int) -> Int {
        [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024].first { $0 >= side } ?? side
    }
}

extension APIError {
    /// A value that makes no sense.
    static func invalid(_ message: String) -> APIError { APIError(400, "invalid_query", message) }
}
