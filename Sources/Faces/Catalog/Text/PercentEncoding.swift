import CalotypeCore

/// Text on its way into a part of a URL (RFC 3986, section 2.1): everything but letters, digits and `-._~` is escaped.
enum PercentEncoding {
    static func encoded(_ text: String) -> String {
        PercentEscapes.encoded(text)
    }
}
