/// The page of keys, and of the words below the wall.
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
        ("", ""),
        ("loading", "on their way now"),
        ("loaded", "came from where they are"),
        ("memory, disk", "were there already"),
        ("cancelled", "left the screen before they came"),
        ("failed", "could not be had, see their cells"),
    ]
}
