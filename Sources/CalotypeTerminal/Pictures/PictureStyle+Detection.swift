extension PictureStyle {
    /// What a user may ask for.
    public enum Choice: String, CaseIterable, Hashable, Sendable {
        /// The best that the terminal is known to show.
        case auto
        case kitty, sixel, symbols, none
    }

    /// The style that the user chose, or the best that the terminal is known to show.
    ///
    /// A choice counts also where the terminal is not known to show it; the number of colours is always found out.
    public static func chosen(
        _ choice: Choice,
        environment: [String: String],
        isTerminal: Bool
    ) -> PictureStyle {
        switch choice {
        case .auto: detected(environment: environment, isTerminal: isTerminal)
        case .kitty: .kitty
        case .sixel: .sixel
        case .symbols: .symbols(.direct)
        case .none: .none
        }
    }

    /// The best that the terminal is known to show; `none` where output is no terminal, or libchafa is missing.
    public static func detected(environment: [String: String], isTerminal: Bool) -> PictureStyle {
        isTerminal ? .symbols(.direct) : .none
    }
}
