internal import CalotypeCore

/// Percent-encoding as AWS signs it: all but letters, digits and `-._~` is escaped, in upper-case digits.
enum SigV4Encoding {
    /// A name or a value of a query.
    static func value(_ text: String) -> String {
        PercentEscapes.encoded(text)
    }

    /// A path, whose slashes stay.
    static func path(_ text: String) -> String {
        PercentEscapes.encoded(text, keeping: "/")
    }
}
