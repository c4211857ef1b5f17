/// Cleans text from outside for display: it can neither control a terminal nor change the text direction.
enum PlainText {
    /// Returns the text on one line, with each run of white space replaced by a space; `nil` if it is blank.
    static func line(_ text: String?) -> String? {
        guard let text else { return nil }
        if isPlainLine(text) { return text }
        let words = text.unicodeScalars.split { $0.properties.isWhitespace }
            .map { word in String(String.UnicodeScalarView(word.filter { !steers($0) })) }
            .filter { !$0.isEmpty }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// Returns the text with line feeds as line breaks, and without other control characters.
    static func paragraphs(_ text: String?) -> String {
        guard let text else { return "" }
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A }) { return text }
        var scalars = String.UnicodeScalarView()
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where isAfterReturn: break
            case "\n", "\r", "\u{2028}", "\u{2029}", "\u{85}": scalars.append("\n")
            case "\t": scalars.append(" ")
            default: if !steers(scalar) { scalars.append(scalar) }
            }
            isAfterReturn = scalar == "\r"
        }
        return String(scalars)
    }

    private static func isPlainLine(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last, first != 0x20, last != 0x20 else {
            return false
        }
        return text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !text.contains("  ")
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{200E}", "\u{200F}", "\u{202A}"..."\u{202E}",
            "\u{2066}"..."\u{2069}", "\u{2028}", "\u{2029}", "\u{FEFF}":
            true
        default: false
        }
    }
}
