/// How a terminal shows pictures.
public enum PictureStyle: Hashable, Sendable, CustomStringConvertible {
    /// As pixels, with kitty's graphics protocol, which other terminals also support.
    case kitty
    /// As pixels, in DEC's sixel format.
    case sixel
    /// As characters that divide a cell into two colours.
    case symbols(Colours)
    /// Not at all.
    case none

    /// The number of colours that a terminal supports.
    public enum Colours: Int, Hashable, Sendable {
        /// The terminal's own 16 colours.
        case sixteen = 16
        /// The 256 colours of xterm's palette.
        case indexed = 256
        /// All 24-bit colours.
        case direct = 16_777_216
    }

    /// The word for the style on the command line.
    public var description: String {
        switch self {
        case .kitty: "kitty"
        case .sixel: "sixel"
        case .symbols: "symbols"
        case .none: "none"
        }
    }
}

extension PictureStyle {
    /// The user's choice of a style.
    public enum Choice: String, CaseIterable, Hashable, Sendable {
        /// The best style that the terminal is known to support.
        case auto
        /// The styles of the same names; assumes that the terminal supports them.
        case kitty, sixel, symbols, none
    }

    /// Returns the user's choice, or the best style that the terminal is known to support.
    ///
    /// - Parameters:
    ///   - choice: The user's choice. The number of colours is always detected.
    ///   - environment: The variables of the process: `TERM`, `COLORTERM` and those that terminals set.
    ///   - isTerminal: Whether the output is a terminal.
    /// - Returns: The style.
    public static func chosen(
        _ choice: Choice,
        environment: [String: String],
        isTerminal: Bool
    ) -> PictureStyle {
        switch choice {
        case .auto: detected(environment: environment, isTerminal: isTerminal)
        case .kitty: .kitty
        case .sixel: .sixel
        case .symbols: .symbols(Terminal(environment).colours)
        case .none: .none
        }
    }

    /// Returns the best style that the terminal is known to support.
    ///
    /// Returns ``none`` if the output is not a terminal, the terminal is dumb, or libchafa is missing. Inside
    /// tmux and screen the style is symbols, because they store the screen as text and do not support pixels.
    public static func detected(environment: [String: String], isTerminal: Bool) -> PictureStyle {
        let terminal = Terminal(environment)
        guard isTerminal, !terminal.isDumb, Chafa.isAvailable else { return .none }
        let known = Chafa.detect(environment)
        guard !terminal.isMultiplexer else { return .symbols(terminal.colours) }
        if case .symbols = known { return .symbols(terminal.colours) }
        return known
    }

    /// The properties of a terminal, from the environment.
    private struct Terminal {
        let environment: [String: String]
        let name: String

        init(_ environment: [String: String]) {
            self.environment = environment
            name = environment["TERM"] ?? ""
        }

        var isDumb: Bool { name.isEmpty || name == "dumb" }

        var isMultiplexer: Bool {
            environment["TMUX"] != nil || environment["STY"] != nil || name.hasPrefix("tmux")
                || name.hasPrefix("screen")
        }

        var colours: Colours {
            if environment["COLORTERM"] == "24bit" { return .direct }
            guard Chafa.isAvailable, case .symbols(let known) = Chafa.detect(symbolsOnly) else {
                return .indexed
            }
            return known
        }

        /// The variables that describe colours, without those that describe pixels.
        private var symbolsOnly: [String: String] {
            var kept = environment.filter { ["TERM", "COLORTERM", "VTE_VERSION", "TMUX"].contains($0.key) }
            if name.hasPrefix("foot") || name == "xterm-kitty" { kept["TERM"] = "xterm-256color" }
            if name.hasPrefix("tmux") { kept["TERM"] = "screen-256color" }
            return kept
        }
    }
}
