/// A key that was pressed.
public enum KeyPress: Hashable, Sendable {
    /// A key that gives a character, such as `a`, `Q`, `/` or `é`.
    case character(Character)
    /// A key together with Control, by its letter in lower case, such as `c`.
    case control(Character)
    case up, down, left, right
    case pageUp, pageDown, home, end
    case enter, tab, backspace, delete, escape
}
