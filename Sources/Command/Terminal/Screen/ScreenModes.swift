/// The sequences with which a program takes a terminal's screen and gives it back (ECMA-48; private modes as in xterm).
enum ScreenModes {
    /// The other screen (1049), pasted text as if typed (2004), no wrapping (7), no cursor (25), plain style, all blank.
    static let entering = Array("\u{1B}[?1049h\u{1B}[?2004l\u{1B}[?7l\u{1B}[?25l\u{1B}[0m\u{1B}[2J".utf8)

    /// The end of a picture that may have been cut off.
    static let endOfString = "\u{1B}\\"

    /// The contrary, after the end of a picture or an update that may have been cut off.
    static let leaving = Array("\u{1B}\\\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l".utf8)
}
