import CalotypeCore
import CalotypeHTTPMessages

/// Percent-encoding of URL paths and queries (RFC 3986, section 2.1).
enum PercentCoding {
    /// The text with everything but letters, digits, `-._~` and slashes encoded.
    static func encoded(_ text: String) -> String {
        PercentEscapes.encoded(text, keeping: "/")
    }

    /// The text decoded; `nil` where an escape is cut or the result is no UTF-8.
    static func decoded(_ text: some StringProtocol) -> String? {
        PercentEscapes.decoded(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
