/// Writes a JSON object on one line; its keys keep the order in which they are added.
package struct JSONObject {
    private var body = ""

    package init() {}

    /// The object.
    package var text: String { "{\(body)}" }

    package mutating func add(_ key: String, string value: String?) {
        add(key, raw: value.map(Self.quoted) ?? "null")
    }

    package mutating func add(_ key: String, _ value: Int?) {
        add(key, raw: value.map { "\($0)" } ?? "null")
    }

    package mutating func add(_ key: String, _ value: Bool?) {
        add(key, raw: value.map { "\($0)" } ?? "null")
    }

    /// Adds a number with the fewest digits that identify it; `null` for nil, infinity and NaN.
    package mutating func add(_ key: String, _ value: Double?) {
        add(key, raw: value.flatMap { $0.isFinite ? "\($0)" : nil } ?? "null")
    }

    /// Adds a number that is already text.
    package mutating func add(_ key: String, _ number: String?) {
        add(key, raw: number ?? "null")
    }

    package mutating func add(_ key: String, _ value: JSONObject?) {
        add(key, raw: value?.text ?? "null")
    }

    package mutating func add(_ key: String, strings: [String]) {
        add(key, raw: "[\(strings.map(Self.quoted).joined(separator: ","))]")
    }

    package mutating func add(_ key: String, objects: [JSONObject]) {
        add(key, raw: "[\(objects.map(\.text).joined(separator: ","))]")
    }

    private mutating func add(_ key: String, raw: String) {
        body += body.isEmpty ? "\"" : ",\""
        body += key
        body += "\":"
        body += raw
    }

    /// Returns `text` in quotes, with escapes for control characters and JavaScript's two line separators.
    package static func quoted(_ text: String) -> String {
        if text.utf8.allSatisfy(standsForItself) { return "\"\(text)\"" }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Whether `byte` of UTF-8 never needs an escape, whatever its neighbours.
    ///
    /// 0xE2 starts the two line separators.
    private static func standsForItself(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x22 && byte != 0x5C && byte != 0x7F && byte != 0xE2
    }
}
