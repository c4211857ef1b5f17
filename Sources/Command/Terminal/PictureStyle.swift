/// How a terminal shows pictures.
public enum PictureStyle: Hashable, Sendable, CustomStringConvertible {
    /// As pixels, in the graphics protocol of kitty, which other terminals speak too.
    case kitty
    /// As pixels, in DEC's sixel format.
    case sixel
    /// As characters that divide a cell into two colours.
    case symbols(Colours)
    /// Not at all.
    case none

    /// How many colours a terminal shows.
    public enum Colours: Int, Hashable, Sendable {
        /// The terminal's own sixteen.
        case sixteen = 16
        /// The 256 of xterm's palette.
        case indexed = 256
        /// All of 24 bits.
        case direct = 16_777_216
    }

    /// The word for it on the command line.
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
    /// What a user may ask for.
    public enum Choice: String, CaseIterable, Hashable, Sendable {
        /// The best that the terminal is known to show.
        case auto
        /// See the styles of the same names; the terminal is taken to show them.
        case kitty, sixel, symbols, none
    }

    /// The style that the user chose, or the best that the terminal is known to show.
    ///
    /// - Parameters:
    ///   - choice: What the user asked for. The number of colours is found out in any case.
    ///   - environment: The variables of the process: `TERM`, `COLORTERM` and those that terminals set.
    ///   - isTerminal: Whether output goes to a terminal.
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

    /// The best that the terminal is known to show: ``none`` where output is no terminal, the terminal is dumb, or libchafa
    /// is missing.
    ///
    /// Inside tmux and screen it is symbols, because these keep the screen as text and know nothing of pixels.
    public static func detected(environment: [String: String], isTerminal: Bool) -> PictureStyle {
        let terminal = Terminal(environment)
        guard isTerminal, !terminal.isDumb, Chafa.isAvailable else { return .none }
        let known = Chafa.detect(environment)
        guard !terminal.isMultiplexer else { return .symbols(terminal.colours) }
        if case .symbols = known { return .symbols(terminal.colours) }
        return known
    }

    /// What the environment tells of a terminal.
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

        /// The variables that tell of colours, without those that tell of pixels.
        private var symbolsOnly: [String: String] {
            var kept = environment.filter { ["TERM", "COLORTERM", "VTE_VERSION", "TMUX"].contains($0.key) }
            if name.hasPrefix("foot") || name == "xterm-kitty" { kept["TERM"] = "xterm-256color" }
            if name.hasPrefix("tmux") { kept["TERM"] = "screen-256color" }
            return kept
        }
    }
}
