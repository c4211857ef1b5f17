/// Text from elsewhere, such as names out of the network's answers, as it may be written to a terminal.
package enum TerminalText {
    /// `text` in one line, without what a terminal would obey.
    ///
    /// Line ends and tabs become blanks. Other control characters, among them the escape that begins a terminal's
    /// commands, and the invisible ones that turn the direction of all that follows become `�`: what was there can be
    /// seen, and does nothing.
    package static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { !isPlain($0) }) else { return text }
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            line.append(isPlain(scalar) ? scalar : isBlank(scalar) ? " " : "\u{FFFD}")
        }
        return String(line)
    }

    /// The lines of `text`, each as ``line(_:)`` has it.
    package static func lines(_ text: String) -> [String] {
        text.split(omittingEmptySubsequences: false) { $0.isNewline }.map { line(String($0)) }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // C0 with the escape, DEL and C1, where some terminals take 9B for an escape and a bracket.
        case 0x00...0x1F, 0x7F...0x9F: false
        case 0x2028, 0x2029: false
        // Embeddings, overrides and isolates of the direction; the marks that only order neighbours (200E, 200F) stay.
        case 0x202A...0x202E, 0x2066...0x2069: false
        // Tags, which say things that nobody sees.
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
