import CalotypeCommandLineKit

/// The style of text on the screen.
public struct TextStyle: Hashable, Sendable {
    /// One of the terminal's own 16 colours, which match the user's light or dark theme.
    public enum Colour: UInt8, Hashable, Sendable {
        case black, red, green, yellow, blue, magenta, cyan, white
    }

    /// The text colour; `nil` for the terminal's own.
    public var foreground: Colour?
    /// The background colour; `nil` for the terminal's own.
    public var background: Colour?
    /// Whether the text is bold.
    public var isBold: Bool
    /// Whether the text is faint.
    public var isDim: Bool
    /// Whether text and background colours are swapped.
    public var isReversed: Bool

    /// Creates a style, plain by default.
    public init(
        foreground: Colour? = nil,
        background: Colour? = nil,
        isBold: Bool = false,
        isDim: Bool = false,
        isReversed: Bool = false
    ) {
        self.foreground = foreground
        self.background = background
        self.isBold = isBold
        self.isDim = isDim
        self.isReversed = isReversed
    }

    /// The terminal's default style.
    public static let plain = TextStyle()
    /// Bold text.
    public static let bold = TextStyle(isBold: true)
    /// Faint text.
    public static let dim = TextStyle(isDim: true)
    /// Swapped colours.
    public static let reversed = TextStyle(isReversed: true)
}

/// A line of text with one style.
struct StyledLine: Hashable, Sendable {
    var text: String
    var style: TextStyle = .plain
}

/// Converts any text to characters that fit the screen's cells.
enum ScreenText {
    /// Maximum number of scalars in a character; some terminals fail on longer sequences of marks.
    private static let mostScalars = 6

    /// Returns the visible form of `character` and its width in columns; `nil` if it is invisible.
    ///
    /// Joined emoji become their first part, without skin colours and variation selectors, because terminals
    /// disagree about their width.
    static func cell(for character: Character) -> (character: Character, columns: Int)? {
        guard !character.isASCII else {
            let columns = TextWidth.columns(of: character)
            return columns > 0 ? (character, columns) : nil
        }
        let shown = reduced(character)
        let columns = TextWidth.columns(of: shown)
        return columns > 0 ? (shown, columns) : nil
    }

    private static func reduced(_ character: Character) -> Character {
        let scalars = character.unicodeScalars
        guard scalars.count > 1, let first = scalars.first else { return character }
        var kept = String.UnicodeScalarView([first])
        for scalar in scalars.dropFirst() {
            guard kept.count < mostScalars, scalar.properties.generalCategory != .format else { break }
            if !scalar.properties.isVariationSelector, !scalar.properties.isEmojiModifier {
                kept.append(scalar)
            }
        }
        return String(kept).first ?? character
    }
}

/// Wraps text by its width on a terminal.
enum TextLines {
    /// Returns `text` in lines of at most `columns`, broken at spaces if possible and at every line feed.
    ///
    /// There is at least one line, which may be empty.
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

    /// Splits a word that is longer than a line.
    private static func pieces(_ word: String, _ columns: Int) -> [String] {
        var (rest, pieces) = (word[...], [String]())
        while TextWidth.columns(of: String(rest)) > columns {
            let piece = TextWidth.prefix(of: String(rest), columns: columns)
            // The screen truncates a character that is wider than the line.
            let count = max(piece.count, 1)
            pieces.append(String(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return rest.isEmpty ? pieces : pieces + [String(rest)]
    }
}
