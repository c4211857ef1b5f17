/// How wide text is on a terminal.
package enum TextWidth {
    /// The number of columns that `text` takes.
    package static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// The longest beginning of `text` that fits into `columns`.
    package static func prefix(of text: String, columns: Int) -> String {
        var room = columns
        return String(
            text.prefix { character in
                room -= self.columns(of: character)
                return room >= 0
            }
        )
    }

    /// `text` where it fits into `columns`, otherwise its beginning with an ellipsis at the end.
    package static func fitted(_ text: String, columns: Int) -> String {
        guard self.columns(of: text) > columns else { return text }
        guard columns > 0 else { return "" }
        var beginning = prefix(of: text, columns: columns - 1)
        while beginning.last == " " { beginning.removeLast() }
        return beginning + "…"
    }

    private static func columns(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.properties.generalCategory {
        case .control, .format, .nonspacingMark, .enclosingMark: return 0
        default: return isWide(scalar) || isDrawnAsEmoji(character) ? 2 : 1
        }
    }

    /// East Asian wide blocks and emoji (UAX #11), coarsely: too wide a guess only shortens the line.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            true
        default: scalar.properties.isEmojiPresentation
        }
    }

    /// Whether the sign that follows asks for the emoji of a character that is a letter of old.
    private static func isDrawnAsEmoji(_ character: Character) -> Bool {
        character.unicodeScalars.contains("\u{FE0F}")
    }
}
