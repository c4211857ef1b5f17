import CalotypeCommandLineKit

/// Breaks text into lines by the columns that it takes on a terminal.
enum TextLines {
    /// `text` in lines of at most `columns`, broken at blanks where there are any and at line feeds everywhere; at least
    /// one line, which may be empty.
    static func wrap(_ text: String, columns: Int) -> [String] {
        text.split(omittingEmptySubsequences: false) { $0.isNewline }
            .flatMap { paragraph(String($0), max(columns, 1)) }
    }

    private static func paragraph(_ text: String, _ columns: Int) -> [String] {
        var (lines, line, width) = ([String](), "", 0)
        for word in text.split(separator: " ") {
            for piece in pieces(String(word), columns) {
                let needed = TextWidth.columns(of: piece)
                if width > 0, width + 1 + needed > columns {
                    lines.append(line)
                    (line, width) = ("", 0)
                }
                line += width > 0 ? " " + piece : piece
                width += width > 0 ? needed + 1 : needed
            }
        }
        return lines + [line]
    }

    /// A word, cut where it is longer than a line.
    private static func pieces(_ word: String, _ columns: Int) -> [String] {
        var (rest, pieces) = (word[...], [String]())
        while TextWidth.columns(of: String(rest)) > columns {
            let piece = TextWidth.prefix(of: String(rest), columns: columns)
            // A character wider than the line is left to be cut by the screen.
            let count = max(piece.count, 1)
            pieces.append(String(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return rest.isEmpty ? pieces : pieces + [String(rest)]
    }
}
