/// What happens at a terminal.
public enum TerminalEvent: Hashable, Sendable {
    /// A key was pressed.
    case key(KeyPress)
    /// The screen has another size now.
    case resized(ScreenSize)
}
