/// Words of commands that are shown to be typed.
package enum ShellWord {
    /// `text` as a shell takes it for one word: in quotes where it has to be.
    package static func quoted(_ text: String) -> String {
        let isPlain = text.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:,@%=".contains($0))
        }
        if isPlain, !text.isEmpty { return text }
        return "'" + text.replacing("'", with: #"'\''"#) + "'"
    }
}
