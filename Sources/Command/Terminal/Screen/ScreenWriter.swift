/// Builds the bytes that change a terminal's screen, and tracks the cursor and the current style.
///
/// The control sequences are those of ECMA-48, which terminals support since the VT100.
struct ScreenWriter {
    private(set) var bytes: [UInt8] = []
    private let columns: Int
    /// The cursor's position, if it is known.
    private var position: (row: Int, column: Int)?
    private var style = TextStyle.plain

    init(columns: Int) {
        self.columns = columns
    }

    mutating func send(_ sequence: String) {
        bytes.append(contentsOf: sequence.utf8)
    }

    mutating func move(row: Int, column: Int) {
        if let position, position == (row, column) { return }
        send("\u{1B}[\(row + 1);\(column + 1)H")
        position = (row, column)
    }

    mutating func set(_ style: TextStyle) {
        guard style != self.style else { return }
        self.style = style
        var codes = ["0"]
        if style.isBold { codes.append("1") }
        if style.isDim { codes.append("2") }
        if style.isReversed { codes.append("7") }
        if let colour = style.foreground { codes.append("\(30 + colour.rawValue)") }
        if let colour = style.background { codes.append("\(40 + colour.rawValue)") }
        send("\u{1B}[\(style == .plain ? "" : codes.joined(separator: ";"))m")
    }

    /// Writes a character at the cursor.
    mutating func write(_ cell: Frame.Cell, columns width: Int) {
        set(cell.style)
        bytes.append(contentsOf: cell.character.utf8)
        guard let (row, column) = position else { return }
        // At the right edge a terminal's cursor stays in place, and terminals disagree about wide characters.
        let isCertain = column + width < columns && width == 1 && cell.character.unicodeScalars.count == 1
        position = isCertain ? (row, column + width) : nil
    }

    /// Erases the line from the cursor on.
    mutating func eraseLine() {
        set(.plain)
        send("\u{1B}[K")
    }

    /// Writes a drawing in plain style; the cursor's position is unknown afterwards.
    mutating func draw(_ drawing: [UInt8], row: Int, column: Int) {
        set(.plain)
        move(row: row, column: column)
        bytes.append(contentsOf: drawing)
        position = nil
    }
}

extension Character {
    fileprivate var utf8: String.UTF8View { String(self).utf8 }
}

/// The sequences that enter and leave full-screen mode (ECMA-48; private modes as in xterm).
enum ScreenModes {
    /// Alternate screen (1049), no bracketed paste (2004), no wrapping (7), no cursor (25), plain style,
    /// erased.
    static let entering = Array("\u{1B}[?1049h\u{1B}[?2004l\u{1B}[?7l\u{1B}[?25l\u{1B}[0m\u{1B}[2J".utf8)

    /// Ends a picture that may have been cut off.
    static let endOfString = "\u{1B}\\"

    /// Reverses `entering`, after ending a picture or an update that may have been cut off.
    static let leaving = Array("\u{1B}\\\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l".utf8)
}
