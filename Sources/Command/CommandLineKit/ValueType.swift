import CalotypeFiles

/// Parses the text after an option into a value.
///
/// The built-in kinds hang off static members: `.text("FILE")`, `.integer(1...100)`, `.seconds(0.1...3600)`,
/// `.dimensions(1...65_535)`, `.byteSize`, `.choice(["jpeg": …])`.
public struct ValueType<Value: Sendable>: Sendable {
    /// The placeholder for the value in help, such as `FILE`.
    public let placeholder: String
    /// The allowed words, in the order of help; empty if the type is not a list of words.
    public let choices: [String]
    package let parse: @Sendable (String) throws(UsageError) -> Value

    /// Creates a value type.
    ///
    /// - Parameters:
    ///   - placeholder: The placeholder for the value in help.
    ///   - choices: The allowed words, if the type is such a list.
    ///   - parse: Returns the value, or throws what is wrong with the text.
    public init(
        placeholder: String,
        choices: [String] = [],
        parse: @escaping @Sendable (String) throws(UsageError) -> Value
    ) {
        self.placeholder = placeholder
        self.choices = choices
        self.parse = parse
    }

    /// Returns this type with another placeholder.
    public func named(_ placeholder: String) -> ValueType {
        ValueType(placeholder: placeholder, choices: choices, parse: parse)
    }

    /// A type with a fixed set of words, each for one value; the error for another word suggests the nearest.
    public static func choice(_ choices: KeyValuePairs<String, Value>) -> ValueType {
        let pairs = choices.map { ($0.key, $0.value) }
        let words = pairs.map(\.0)
        return ValueType(placeholder: words.joined(separator: "|"), choices: words) {
            text throws(UsageError) in
            guard let pair = pairs.first(where: { $0.0 == text }) else {
                throw UsageError(
                    "is not one of \(words.joined(separator: ", "))" + NearestName.hint(text, in: words)
                )
            }
            return pair.1
        }
    }
}

extension ValueType where Value: CaseIterable & RawRepresentable<String> {
    /// A type whose words are the raw values of the cases of `Value`.
    public static var cases: ValueType {
        let words = Value.allCases.map(\.rawValue)
        return ValueType(placeholder: words.joined(separator: "|"), choices: words) {
            text throws(UsageError) in
            guard let value = Value(rawValue: text) else {
                throw UsageError(
                    "is not one of \(words.joined(separator: ", "))" + NearestName.hint(text, in: words)
                )
            }
            return value
        }
    }
}

extension ValueType where Value == String {
    /// Any non-empty text, such as a path.
    public static func text(_ placeholder: String) -> ValueType {
        ValueType(placeholder: placeholder) { text throws(UsageError) in
            guard !text.isEmpty else { throw UsageError("is empty") }
            return text
        }
    }
}

extension ValueType where Value == Int {
    /// A whole number in `range`.
    public static func integer(_ range: ClosedRange<Int>, placeholder: String = "N") -> ValueType {
        ValueType(placeholder: placeholder) { text throws(UsageError) in
            guard let number = Int(text), range.contains(number) else {
                let limit =
                    range.upperBound == .max
                    ? "at least \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
                throw UsageError("is not a whole number, \(limit)")
            }
            return number
        }
    }
}

extension ValueType where Value == Double {
    /// A number in `range`.
    public static func number(_ range: ClosedRange<Double>, placeholder: String = "N") -> ValueType {
        ValueType(placeholder: placeholder) { text throws(UsageError) in
            guard let number = Double(text), range.contains(number) else {
                throw UsageError("is not a number, \(plain(range.lowerBound)) to \(plain(range.upperBound))")
            }
            return number
        }
    }
}

extension ValueType where Value == Duration {
    /// A time within `range`, which is in seconds: a number, with an optional fraction and the unit `s`, `ms` or
    /// `m`.
    ///
    /// A number without a unit is in seconds.
    public static func seconds(_ range: ClosedRange<Double>, placeholder: String = "TIME") -> ValueType {
        ValueType(placeholder: placeholder) { text throws(UsageError) in
            guard let seconds = seconds(text), range.contains(seconds) else {
                throw UsageError(
                    "is not a time such as 5s, 500ms or 2m, \(plain(range.lowerBound)) to "
                        + "\(plain(range.upperBound)) seconds"
                )
            }
            return .seconds(seconds)
        }
    }

    private static func seconds(_ text: String) -> Double? {
        // The milliseconds come first, because their unit ends in that of seconds.
        for (unit, perSecond, seconds) in [("ms", 1_000.0, 1.0), ("s", 1, 1), ("m", 1, 60)]
        where text.hasSuffix(unit) {
            return Double(text.dropLast(unit.count)).map { $0 * seconds / perSecond }
        }
        return Double(text)
    }

}

/// Returns a number without a fraction of zero.
private func plain(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? "\(number)"
}

extension ValueType where Value == Dimensions {
    /// A width and a height as `WxH`, each within `range`.
    public static func dimensions(_ range: ClosedRange<Int>) -> ValueType {
        ValueType(placeholder: "WxH") { text throws(UsageError) in
            let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
            guard sides.count == 2, let width = sides[0], let height = sides[1],
                range.contains(width), range.contains(height)
            else {
                throw UsageError(
                    "is not a size such as 256x256, each side \(range.lowerBound) to \(range.upperBound)"
                )
            }
            return Dimensions(width: width, height: height)
        }
    }
}

extension ValueType where Value == ByteSize {
    /// A size in bytes, such as `500M` or `1GiB`.
    public static var byteSize: ValueType {
        ValueType(placeholder: "SIZE") { text throws(UsageError) in
            guard let size = ByteSize(parsing: text) else {
                throw UsageError("is not a number of bytes such as 500M, 1.5G or 1GiB")
            }
            return size
        }
    }
}

extension ValueType {
    /// A list of values separated by commas, each at most once.
    ///
    /// - Parameters:
    ///   - element: The type of each value.
    ///   - limit: Maximum number of values.
    ///   - placeholder: The placeholder for the list in help; if `nil`, the element's own.
    /// - Returns: The type of the list.
    public static func list<Element: Hashable>(
        _ element: ValueType<Element>,
        atMost limit: Int,
        placeholder: String? = nil
    ) -> ValueType where Value == [Element] {
        ValueType(placeholder: placeholder ?? element.placeholder, choices: element.choices) {
            text throws(UsageError) in
            let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            // A single value has the element's own error messages.
            guard parts.count > 1 else { return [try element.parse(text)] }
            guard parts.count <= limit else {
                throw UsageError("has \(parts.count) values, and at most \(limit) are allowed")
            }
            var values: [Element] = []
            for part in parts {
                let value = try self.value(part, of: element)
                guard !values.contains(value) else { throw UsageError("has '\(part)' twice") }
                values.append(value)
            }
            return values
        }
    }

    private static func value<Element>(
        _ part: String,
        of element: ValueType<Element>
    ) throws(UsageError) -> Element {
        guard !part.isEmpty else { throw UsageError("has nothing before or after a comma") }
        do {
            return try element.parse(part)
        } catch {
            throw UsageError("has '\(part)', which \(error.message)")
        }
    }
}

/// A size in bytes, as in `--max-size 500M`.
public struct ByteSize: Hashable, Sendable {
    /// The number of bytes.
    public let bytes: Int

    /// Creates a size of `bytes` bytes.
    public init(_ bytes: Int) {
        self.bytes = bytes
    }

    /// Parses a size: a number, which may have a fraction if it has a unit, and B, K, M, G or T.
    ///
    /// `500M` and `500MB` are 500,000,000 bytes, `500MiB` is 524,288,000. Case does not matter. Returns `nil`
    /// if `text` is not a size, or is too large.
    public init?(parsing text: String) {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let unit = Self.unit(text.dropFirst(digits.count).lowercased()) else { return nil }
        if let number = Int(digits) {
            let (bytes, overflow) = number.multipliedReportingOverflow(by: unit)
            guard !overflow else { return nil }
            self.init(bytes)
        } else {
            guard unit > 1, digits.first != ".", digits.last != ".", let number = Double(digits),
                let bytes = Int(exactly: (number * Double(unit)).rounded())
            else { return nil }
            self.init(bytes)
        }
    }

    private static func unit(_ name: String) -> Int? {
        if name.isEmpty || name == "b" { return 1 }
        guard let power = ["k", "m", "g", "t"].firstIndex(of: String(name.prefix(1))) else { return nil }
        let base: Int
        switch name.dropFirst() {
        case "", "b": base = 1000
        case "ib": base = 1024
        default: return nil
        }
        return (0...power).reduce(1) { product, _ in product * base }
    }
}

/// A width and a height, as in `--fit 640x480`.
public struct Dimensions: Hashable, Sendable {
    /// The width.
    public let width: Int
    /// The height.
    public let height: Int

    /// Creates dimensions.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}
