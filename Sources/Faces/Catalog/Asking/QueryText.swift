import CalotypeCore
import CalotypeHTTPMessages

/// Builds the query of a URL from names and arbitrary values.
struct QueryText {
    private(set) var text = ""

    /// Adds a field, unless its value is `nil`.
    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        add(name, [value], separator: "")
    }

    /// Adds a field with several values, separated by an unescaped separator.
    mutating func add(_ name: String, _ values: [String], separator: String) {
        text += text.isEmpty ? "?" : "&"
        text += "\(name)=" + values.map(PercentEncoding.encoded).joined(separator: separator)
    }
}

/// Percent-encodes a part of a URL (RFC 3986, section 2.1): escapes all but letters, digits and `-._~`.
enum PercentEncoding {
    static func encoded(_ text: String) -> String {
        PercentEscapes.encoded(text)
    }
}
