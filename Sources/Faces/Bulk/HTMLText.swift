/// Text on its way into HTML; whatever an outsider controls passes here.
enum HTMLText {
    /// `text` with everything escaped that could end a text or an attribute.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // Controls, and marks that turn the direction of text and could disguise what a URL is.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{200E}", "\u{200F}", "\u{202A}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// `text` as the value of `href` where it is a web address; other schemes could be scripts.
    static func link(_ text: String) -> String? {
        let scheme = text.prefix(8).lowercased()
        return scheme.hasPrefix("http://") || scheme.hasPrefix("https://") ? escaped(text) : nil
    }

    /// The beginning of `text`, so that a long message does not make a long page.
    static func shortened(_ text: String, to limit: Int = 300) -> String {
        text.count > limit ? String(text.prefix(limit)) + "…" : text
    }
}
