internal import CalotypeCore

/// One option of a path: its name and its arguments.
struct OptionArguments: Hashable, Sendable {
    /// The name as written.
    let name: String
    private let values: [String]

    init(name: String, _ values: [String]) {
        self.name = name
        self.values = values
    }

    /// Parses the option in `segment`; `nil` if there is no `separator`.
    init?(_ segment: Substring, separator: String) {
        let parts = Self.parts(segment, separator)
        guard parts.count > 1 else { return nil }
        self.init(name: parts[0], Array(parts.dropFirst()))
    }

    /// Splits `segment` at the separators.
    static func parts(_ segment: Substring, _ separator: String) -> [String] {
        if separator.utf8.count == 1, let byte = separator.utf8.first {
            return segment.utf8.split(separator: byte, omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
        }
        return segment.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }

    var count: Int { values.count }
    var all: [String] { values }

    /// The argument at `index`; empty if there is none.
    subscript(_ index: Int) -> String {
        index < values.count ? values[index] : ""
    }

    /// Whether there is a non-empty argument at `index`.
    func has(_ index: Int) -> Bool {
        !self[index].isEmpty
    }

    /// The option without its first `count` arguments.
    func dropFirst(_ count: Int) -> OptionArguments {
        OptionArguments(name: name, Array(values.dropFirst(count)))
    }

    /// Throws if there are more than `most` arguments.
    func limit(_ most: Int) throws(ServerError) {
        guard values.count <= most else {
            throw refusal("has \(values.count) arguments; the maximum is \(most)")
        }
    }

    /// Parses a truth value as Go does.
    ///
    /// All other words are false, and not an error.
    func bool(_ index: Int = 0) -> Bool {
        switch self[index] {
        case "1", "t", "T", "TRUE", "true", "True": true
        default: false
        }
    }

    /// The whole number at `index`.
    func integer(_ index: Int = 0, _ range: ClosedRange<Int>) throws(ServerError) -> Int {
        guard let number = Int(self[index]), range.contains(number) else {
            throw bad(index, "a whole number \(Self.span(range.lowerBound, range.upperBound, .max))")
        }
        return number
    }

    /// The number at `index`, which may have a fraction and an exponent.
    func number(_ index: Int = 0, _ range: ClosedRange<Double>) throws(ServerError) -> Double {
        // Swift also parses words such as "inf" and hexadecimal digits as numbers.
        let text = self[index]
        guard text.utf8.allSatisfy(Self.isOfNumbers), let number = Double(text), range.contains(number) else {
            throw bad(
                index,
                "a number \(Self.span(range.lowerBound, range.upperBound, .greatestFiniteMagnitude))"
            )
        }
        return number
    }

    /// The factor at `index`, which must be greater than 0.
    func factor(_ index: Int = 0, most: Double) throws(ServerError) -> Double {
        try number(index, 0.0001...most)
    }

    /// The colour at `index`: three or six hexadecimal digits.
    func colour(_ index: Int) throws(ServerError) -> Colour {
        guard let colour = Colour(hexadecimal: self[index][...]) else {
            throw bad(index, "a colour of three or six hexadecimal digits")
        }
        return colour
    }

    /// The text that the Base64 argument at `index` encodes.
    func encodedText(_ index: Int) throws(ServerError) -> String {
        guard let bytes = Base64URL.bytes(Base64URL.withoutPadding(Substring(self[index]))),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw bad(index, "text in URL-safe Base64") }
        return text
    }

    /// Creates the error for an invalid argument at `index`.
    func bad(_ index: Int, _ wanted: String) -> ServerError {
        refusal("needs \(wanted) instead of \(ServerError.quoted(self[index]))")
    }

    /// Creates an error for the option.
    func refusal(_ problem: String) -> ServerError {
        .invalid("the option \(ServerError.quoted(name)) \(problem)")
    }

    private static func isOfNumbers(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
    }

    private static func span<Number: Comparable>(_ least: Number, _ most: Number, _ endless: Number) -> String
    {
        most == endless ? "of at least \(least)" : "from \(least) to \(most)"
    }
}
