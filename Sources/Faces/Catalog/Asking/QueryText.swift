import CalotypeCore
import CalotypeHTTPMessages

/// The query of a URL, made of names and values that may hold anything.
struct QueryText {
    private(set) var text = ""

    /// Adds a field, unless it has no value.
    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        add(name, [value], separator: "")
    }

    /// Adds a field of several values, with a separator that is sent as it is.
    mutating func add(_ name: String, _ values: [String], separator: String) {
        text += text.isEmpty ? "?" : "&"
        text += "\(name)=" + values.map(PercentEncoding.encoded).joined(separator: separator)
    }
}

/// Text on its way into a part of a URL (RFC 3986, section 2.1): everything but letters, digits and `-._~` is escaped.
enum PercentEncoding {
    static func encoded(_ text: String) -> String {
        PercentEscapes.encoded(text)
    }
}
