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

    private static func columns(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if scalar.properties.generalCategory == .control { return 0 }
        // East Asian wide blocks and emoji (UAX #11), coarsely: too wide a guess only shortens the line.
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60,
            0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
