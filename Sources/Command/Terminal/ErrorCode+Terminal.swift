public import CalotypeCore

extension ErrorCode {
    /// Input or output is no terminal, or one that cannot be used.
    public static let noTerminal = ErrorCode(rawValue: "no_terminal")
    /// The terminal has gone: its window was closed, or the line to it was cut.
    public static let terminalLost = ErrorCode(rawValue: "terminal_lost")
    /// Pictures cannot be drawn: libchafa is missing, or the style is ``PictureStyle/none``.
    public static let drawingUnavailable = ErrorCode(rawValue: "drawing_unavailable")
    /// A picture could not be drawn.
    public static let drawingFailed = ErrorCode(rawValue: "drawing_failed")
}
