/// The page of keys.
enum WallHelp {
    static let lines: [(keys: String, meaning: String)] = [
        ("arrows, h j k l", "move"),
        ("Page Up, Page Down", "a screen up, down"),
        ("g, G, Home, End", "first, last"),
        ("Enter", "open"),
        ("Escape", "back"),
        ("/", "search the App Store"),
        ("r", "try again what failed"),
        ("Ctrl-L", "draw the screen anew"),
        ("?", "this page"),
        ("q, Ctrl-C", "quit"),
    ]
}
