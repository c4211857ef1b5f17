import CalotypeCommandLineKit

/// How text looks on the screen.
public struct TextStyle: Hashable, Sendable {
    /// One of the terminal's own sixteen colours, which fit its user's light or dark theme.
    public enum Colour: UInt8, Hashable, Sendable {
        case black, red, green, yellow, blue, magenta, cyan, white
    }

    /// The colour of the letters; the terminal's own where `nil`.
    public var foreground: Colour?
    /// The colour behind them; the terminal's own where `nil`.
    public var background: Colour?
    /// Whether it is bold.
    public var isBold: Bool
    /// Whether it is fainter than other text.
    public var isDim: Bool
    /// Whether letters and ground change places.
    public var isReversed: Bool

    /// Creates a style, plain unless told otherwise.
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

    /// The terminal's own.
    public static let plain = TextStyle()
    /// Bold.
    public static let bold = TextStyle(isBold: true)
    /// Fainter than other text.
    public static let dim = TextStyle(isDim: true)
    /// Letters and ground changed.
    public static let reversed = TextStyle(isReversed: true)
}

/// A line of text in one style.
struct StyledLine: Hashable, Sendable {
    var text: String
    var style: TextStyle = .plain
}

/// Text from anywhere as characters that a cell of the screen takes.
enum ScreenText {
    /// A character can carry any number of marks; nobody reads more than these, and some terminals choke on them.
    private static let mostScalars = 6

    /// What is shown of `character`, and how many columns it takes; `nil` where there is nothing to show.
    ///
    /// Joined emoji become their first part, without colours of skin and variation selectors: terminals do not agree on how
    /// wide they are.
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
