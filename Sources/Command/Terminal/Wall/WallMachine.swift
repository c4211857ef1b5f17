import CalotypeCatalog
import CalotypeCommandLineKit

/// The state of a wall and its reaction to keys, without pictures, loads or a terminal.
///
/// A selection moves over entries; the lines of cells around it are visible. Enter opens an app or a
/// full-screen picture. Help and the search prompt cover any page.
struct WallMachine: Hashable, Sendable {
    /// The page on the screen.
    enum Page: Hashable, Sendable {
        case wall
        /// The selected app.
        case app(AppStoreScreen)
        /// The selected picture, or the app's selected screenshot.
        case picture(over: AppStoreScreen?)
    }

    /// The overlay above the page.
    enum Overlay: Hashable, Sendable {
        case prompt(EditLine)
        case help(firstLine: Int)
    }

    /// The preferred size of a cell.
    let cell: WallCellSize
    private(set) var content: WallContent
    private(set) var layout: WallLayout
    private(set) var page = Page.wall
    private(set) var overlay: Overlay?
    /// The selected entry; 0 if there are none.
    private(set) var selection = 0
    /// The first visible line of cells.
    private(set) var firstRow = 0

    init(_ size: ScreenSize, cell: WallCellSize = .standard, content: WallContent) {
        self.cell = cell
        self.content = content
        layout = WallLayout(size, cell: cell)
    }

    var size: ScreenSize { layout.bands.size }

    /// The selected entry.
    var selected: WallEntry? {
        content.entries.indices.contains(selection) ? content.entries[selection] : nil
    }

    /// The entries with visible cells when the wall is on the screen.
    var cellsInSight: Range<Int> {
        let first = min(firstRow * layout.columns, content.entries.count)
        return first..<min(first + layout.capacity, content.entries.count)
    }

    /// Sets a new size; the selection stays visible.
    mutating func resize(_ size: ScreenSize) {
        layout = WallLayout(size, cell: cell)
        scrollToSelection()
        resizePage()
        if case .help(let line) = overlay { scrollHelp(to: line) }
    }

    /// Shows new content from its beginning; ignores the current content.
    mutating func show(_ content: WallContent) {
        guard content != self.content else { return }
        self.content = content
        page = .wall
        (selection, firstRow) = (0, 0)
    }

    /// Handles a key, and returns an effect that the caller must perform.
    mutating func press(_ key: KeyPress) -> WallEffect? {
        if key == .control("l") { return .redraw }
        switch overlay {
        case .prompt(let line): return press(key, in: line)
        case .help(let line): return press(key, inHelpAt: line)
        case nil: break
        }
        switch key {
        case .character("q"): return .quit
        case .character("?"): overlay = .help(firstLine: 0)
        case .character("/"): overlay = .prompt(EditLine())
        case .character("r"): return isFailed ? .searchAgain : .retry
        default: return pressOnPage(key)
        }
        return nil
    }

    private var isFailed: Bool {
        content.state == .failed && page == .wall
    }

    private mutating func pressOnPage(_ key: KeyPress) -> WallEffect? {
        switch page {
        case .wall: return pressOnWall(key)
        case .app(let app): press(key, on: app)
        case .picture(let app): press(key, onPictureOver: app)
        }
        return nil
    }
}

extension WallMachine {
    private mutating func pressOnWall(_ key: KeyPress) -> WallEffect? {
        switch key {
        case .escape where content.canBeLeft: return .leaveSearch
        case .enter: open()
        default: if let move = Move(key) { select(selection, move) }
        }
        return nil
    }

    private mutating func open() {
        guard let entry = selected else { return }
        if let app = entry.app {
            page = .app(AppStoreScreen(app, on: size))
        } else {
            page = .picture(over: nil)
        }
    }

    private mutating func press(_ key: KeyPress, on app: AppStoreScreen) {
        switch key {
        case .escape, .backspace: page = .wall
        case .enter: if !app.screenshots.isEmpty { page = .picture(over: app) }
        default:
            guard let move = Move(key) else { return }
            var app = app
            app.take(move)
            page = .app(app)
        }
    }

    private mutating func press(_ key: KeyPress, onPictureOver app: AppStoreScreen?) {
        switch (key, app) {
        case (.escape, let app?), (.backspace, let app?), (.enter, let app?): page = .app(app)
        case (.escape, nil), (.backspace, nil), (.enter, nil): page = .wall
        case (_, var app?):
            guard let move = Move(key) else { return }
            app.selectScreenshot(move)
            page = .picture(over: app)
        case (_, nil): if let move = Move(key) { select(selection, move.alongOne) }
        }
    }

    private mutating func resizePage() {
        switch page {
        case .wall, .picture(over: nil): break
        case .app(var app):
            app.resize(size)
            page = .app(app)
        case .picture(var app?):
            app.resize(size)
            page = .picture(over: app)
        }
    }

    private mutating func select(_ index: Int, _ move: Move) {
        let count = content.entries.count
        selection = move.target(from: index, of: count, columns: layout.columns, rows: layout.rows)
        // A page hides everything below it.
        if move == .pageDown { firstRow += layout.rows }
        if move == .pageUp { firstRow -= layout.rows }
        scrollToSelection()
    }

    private mutating func scrollToSelection() {
        guard !layout.isTooSmall else { return }
        let row = selection / layout.columns
        let lastRow = max(content.entries.count - 1, 0) / layout.columns
        // A larger screen shows no more empty lines than necessary.
        firstRow = max(min(firstRow, lastRow + 1 - layout.rows), 0)
        firstRow = min(max(firstRow, row - layout.rows + 1), row)
    }
}

extension WallMachine {
    private mutating func press(_ key: KeyPress, in line: EditLine) -> WallEffect? {
        var line = line
        switch key {
        case .escape: overlay = nil
        case .enter:
            overlay = nil
            let term = line.text.trimmed
            return term.isEmpty ? nil : .search(term)
        default:
            if line.press(key) { overlay = .prompt(line) }
        }
        return nil
    }

    private mutating func press(_ key: KeyPress, inHelpAt line: Int) -> WallEffect? {
        switch key {
        case .character("q"): return .quit
        case .escape, .enter, .backspace, .character("?"): overlay = nil
        default:
            if let move = Move(key) { scrollHelp(to: move.line(from: line, page: layout.bands.body.count)) }
        }
        return nil
    }

    private mutating func scrollHelp(to line: Int) {
        let last = max(WallHelp.lines.count - layout.bands.body.count, 0)
        overlay = .help(firstLine: min(max(line, 0), last))
    }
}

extension String {
    /// The text without spaces at either end.
    fileprivate var trimmed: String {
        let start = drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }
}

/// An effect of a key that the caller must perform.
enum WallEffect: Hashable, Sendable {
    /// Search for a term.
    case search(String)
    /// Repeat the failed search.
    case searchAgain
    /// Return from a search to the previous content.
    case leaveSearch
    /// Retry the visible pictures that failed.
    case retry
    /// Draw the whole screen again.
    case redraw
    /// Quit.
    case quit
}

/// A line of text that the user types.
struct EditLine: Hashable, Sendable {
    /// Maximum number of characters; further ones are ignored.
    static let limit = 200

    private(set) var text = ""

    /// Handles a key, and returns whether it changed the text.
    mutating func press(_ key: KeyPress) -> Bool {
        let before = text
        switch key {
        case .character(let character): if text.count < Self.limit { text.append(character) }
        case .backspace, .delete: _ = text.popLast()
        case .control("u"): text = ""
        case .control("w"): removeWord()
        default: break
        }
        return text != before
    }

    /// Returns the end of the text that fits into `columns`, where the user types.
    func end(columns: Int) -> String {
        var room = columns
        let reversed = text.reversed().prefix { character in
            room -= TextWidth.columns(of: String(character))
            return room >= 0
        }
        return String(reversed.reversed())
    }

    private mutating func removeWord() {
        while text.last?.isWhitespace == true { text.removeLast() }
        while let last = text.last, !last.isWhitespace { text.removeLast() }
    }
}

/// The help page with the keys and the counters below the wall.
enum WallHelp {
    static let lines: [(keys: String, meaning: String)] = [
        ("arrows, h j k l", "move"),
        ("Page Up, Page Down", "a screen up, down"),
        ("g, G, Home, End", "first, last"),
        ("Enter", "open"),
        ("Escape", "back"),
        ("/", "search the App Store"),
        ("r", "retry what failed"),
        ("Ctrl-L", "redraw the screen"),
        ("?", "this page"),
        ("q, Ctrl-C", "quit"),
        ("", ""),
        ("loading", "loading now"),
        ("loaded", "loaded from the source"),
        ("memory, disk", "found in memory or on disk"),
        ("cancelled", "scrolled off screen before they were loaded"),
        ("failed", "could not be loaded; the cells show why"),
    ]
}
