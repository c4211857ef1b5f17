import CalotypeCore

/// How the text after an option becomes a value.
///
/// The built-in kinds hang off static members: `.text("FILE")`, `.integer(1...100)`, `.seconds(0.1...3600)`,
/// `.dimensions(1...65_535)`, `.byteSize`, `.choice(["jpeg": …])`.
public struct ValueType<Value: Sendable>: Sendable {
    /// The word that stands for the value in help, such as `FILE`.
    public let placeholder: String
    /// The words that are allowed, in the order of help; empty where the set is not a list of words.
    public let choices: [String]
    package let parse: @Sendable (String) throws(ValueProblem) -> Value

    /// Creates a kind of value.
    ///
    /// - Parameters:
    ///   - placeholder: the word that stands for the value in help.
    ///   - choices: the allowed words, where the kind is such a list.
    ///   - parse: makes the value, or throws what is wrong with the text.
    public init(
        placeholder: String,
        choices: [String] = [],
        parse: @escaping @Sendable (String) throws(ValueProblem) -> Value
    ) {
        self.placeholder = placeholder
        self.choices = choices
        self.parse = parse
    }

    /// The same kind under another word in help.
    public func named(_ placeholder: String) -> ValueType {
        ValueType(placeholder: placeholder, choices: choices, parse: parse)
    }

    /// One of some words, each standing for a value; another word is an error that names the nearest.
    public static func choice(_ choices: KeyValuePairs<String, Value>) -> ValueType {
        let pairs = choices.map { ($0.key, $0.value) }
        let words = pairs.map(\.0)
        return ValueType(placeholder: words.joined(separator: "|"), choices: words) {
            text throws(ValueProblem) in
            guard let pair = pairs.first(where: { $0.0 == text }) else {
                throw ValueProblem(
                    "is not one of \(words.joined(separator: ", "))" + NearestName.hint(text, in: words)
                )
            }
            return pair.1
        }
    }
}

extension ValueType where Value: CaseIterable & RawRepresentable<String> {
    /// One of the cases of `Value`, written as its raw value.
    public static var cases: ValueType {
        let words = Value.allCases.map(\.rawValue)
        return ValueType(placeholder: words.joined(separator: "|"), choices: words) {
            text throws(ValueProblem) in
            guard let value = Value(rawValue: text) else {
                throw ValueProblem(
                    "is not one of \(words.joined(separator: ", "))" + NearestName.hint(text, in: words)
                )
            }
            return value
        }
    }
}

extension ValueType where Value == String {
    /// Any text that is not empty, such as a path.
    public static func text(_ placeholder: String) -> ValueType {
        ValueType(placeholder: placeholder) { text throws(ValueProblem) in
            guard !text.isEmpty else { throw ValueProblem("is empty") }
            return text
        }
    }
}

extension ValueType where Value == Int {
    /// A whole number in `range`.
    public static func integer(_ range: ClosedRange<Int>, placeholder: String = "N") -> ValueType {
        ValueType(placeholder: placeholder) { text throws(ValueProblem) in
            guard let number = Int(text), range.contains(number) else {
                let limit =
                    range.upperBound == .max
                    ? "at least \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
                throw ValueProblem("is not a whole number, \(limit)")
            }
            return number
        }
    }
}

extension ValueType where Value == Duration {
    /// A time in seconds, fractions allowed, within `range`.
    public static func seconds(_ range: ClosedRange<Double>, placeholder: String = "S") -> ValueType {
        ValueType(placeholder: placeholder) { text throws(ValueProblem) in
            guard let seconds = Double(text), range.contains(seconds) else {
                throw ValueProblem(
                    "is not a number of seconds, \(plain(range.lowerBound)) to \(plain(range.upperBound))"
                )
            }
            return .seconds(seconds)
        }
    }

    private static func plain(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }
}

extension ValueType where Value == Dimensions {
    /// A width and a height as `WxH`, each within `range`.
    public static func dimensions(_ range: ClosedRange<Int>) -> ValueType {
        ValueType(placeholder: "WxH") { text throws(ValueProblem) in
            let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
            guard sides.count == 2, let width = sides[0], let height = sides[1],
                range.contains(width), range.contains(height)
            else {
                throw ValueProblem(
                    "is not a size such as 256x256, each side \(range.lowerBound) to \(range.upperBound)"
                )
            }
            return Dimensions(width: width, height: height)
        }
    }
}

extension ValueType where Value == ByteSize {
    /// A number of bytes, such as `500M` or `1GiB`.
    public static var byteSize: ValueType {
        ValueType(placeholder: "SIZE") { text throws(ValueProblem) in
            guard let size = ByteSize(parsing: text) else {
                throw ValueProblem("is not a number of bytes such as 500M, 1.5G or 1GiB")
            }
            return size
        }
    }
}
