/// Breaks text at blanks.
package enum TextWrap {
    /// `text` in lines of at most `width` columns, each behind `indent` blanks, those after the first behind `hanging`.
    ///
    /// A word longer than a line stands in a line of its own.
    package static func wrap(_ text: String, width: Int, indent: Int = 0, hanging: Int? = nil) -> String {
        let following = String(repeating: " ", count: hanging ?? indent)
        var lines: [String] = []
        var line = String(repeating: " ", count: indent)
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                (line, isEmpty) = (following, true)
            }
            line += isEmpty ? String(word) : " " + word
            isEmpty = false
        }
        return (lines + [line]).joined(separator: "\n")
    }
}
