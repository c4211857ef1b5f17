/// Makes text from elsewhere, such as names in network responses, safe to write to a terminal.
package enum TerminalText {
    /// Returns `text` on one line, without anything that a terminal would interpret.
    ///
    /// Line breaks and tabs become spaces. Other control characters, including the escape that begins a
    /// terminal's commands, and invisible characters that change the text direction become `�`: the reader
    /// can see that something was there, but it has no effect.
    package static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { !isPlain($0) }) else { return text }
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            line.append(isPlain(scalar) ? scalar : isBlank(scalar) ? " " : "\u{FFFD}")
        }
        return String(line)
    }

    /// Returns the lines of `text`, each treated as by ``line(_:)``.
    package static func lines(_ text: String) -> [String] {
        text.split(omittingEmptySubsequences: false) { $0.isNewline }.map { line(String($0)) }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // C0 with the escape, DEL and C1; some terminals read 9B as an escape and a bracket.
        case 0x00...0x1F, 0x7F...0x9F: false
        case 0x2028, 0x2029: false
        // Embeddings, overrides and isolates of the direction; the marks that only order neighbours (200E,
        // 200F) are kept.
        case 0x202A...0x202E, 0x2066...0x2069: false
        // Tags, which are invisible.
        case 0xE0000...0xE007F: false
        default: true
        }
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}

/// The width of text on a terminal.
package enum TextWidth {
    /// The number of columns that `text` takes.
    package static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// Returns the longest prefix of `text` that fits into `columns`.
    package static func prefix(of text: String, columns: Int) -> String {
        var room = columns
        return String(
            text.prefix { character in
                room -= self.columns(of: character)
                return room >= 0
            }
        )
    }

    /// The columns of one character: those of its first scalar, plus those of any following spacing marks.
    ///
    /// Terminals differ for emoji joined from several scalars, so what is drawn after one must set its
    /// position.
    package static func columns(of character: Character) -> Int {
        if let ascii = character.asciiValue { return (0x20..<0x7F).contains(ascii) ? 1 : 0 }
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        let width = columns(of: first)
        guard width > 0, scalars.count > 1 else { return width }
        return scalars.dropFirst().reduce(width) { sum, scalar in
            let takesRoom = scalar.properties.generalCategory == .spacingMark || isFlagLetter(scalar)
            return takesRoom ? sum + 1 : sum
        }
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .nonspacingMark,
            .enclosingMark:
            0
        default: isWide(scalar.value) ? 2 : 1
        }
    }

    /// Whether the scalar is half of a flag.
    private static func isFlagLetter(_ scalar: Unicode.Scalar) -> Bool {
        (0x1F1E6...0x1F1FF).contains(scalar.value)
    }

    private static func isWide(_ value: UInt32) -> Bool {
        var (low, high) = (0, wide.count)
        while low < high {
            let middle = (low + high) / 2
            if wide[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < wide.count && wide[low].contains(value)
    }

    /// East Asian wide and full-width characters, emoji among them (UAX #11, Unicode 14), in ascending order.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3,
        0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F, 0x2693...0x2693, 0x26A1...0x26A1,
        0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA,
        0x26F2...0x26F3, 0x26F5...0x26F5, 0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B,
        0x2728...0x2728, 0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
        0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55, 0x2E80...0x303E,
        0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAD9,
        0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FB,
        0x1F004...0x1F004, 0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F320,
        0x1F32D...0x1F335, 0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3CF...0x1F3D3,
        0x1F3E0...0x1F3F0, 0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440, 0x1F442...0x1F4FC,
        0x1F4FF...0x1F53D, 0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A...0x1F57A, 0x1F595...0x1F596,
        0x1F5A4...0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F6CC...0x1F6CC, 0x1F6D0...0x1F6D2,
        0x1F6D5...0x1F6DF, 0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7F0, 0x1F90C...0x1F93A,
        0x1F93C...0x1F945, 0x1F947...0x1F9FF, 0x1FA70...0x1FAF6, 0x20000...0x3134A,
    ]
}

extension TextWidth {
    /// Returns `text` if it fits into `columns`, otherwise its beginning with an ellipsis.
    package static func fitted(_ text: String, columns: Int) -> String {
        guard self.columns(of: text) > columns else { return text }
        guard columns > 0 else { return "" }
        var beginning = prefix(of: text, columns: columns - 1)
        while beginning.last == " " { beginning.removeLast() }
        return beginning + "…"
    }
}
