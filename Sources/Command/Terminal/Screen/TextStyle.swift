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
