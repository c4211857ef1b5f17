import CalotypeCatalog

/// The page of an app: scrolling text, and below it a strip of screenshots with a selection.
struct AppStoreScreen: Hashable, Sendable {
    let app: AppStoreEntity
    /// The screenshots, with those for phones first.
    let screenshots: [CatalogPicture]
    private(set) var layout: AppStoreLayout
    private(set) var lines: [StyledLine]
    /// The first visible line of text.
    private(set) var firstLine = 0
    /// The selected screenshot; 0 if there are none.
    private(set) var selection = 0
    /// The first visible screenshot.
    private(set) var firstScreenshot = 0

    init(_ app: AppStoreEntity, on size: ScreenSize) {
        self.app = app
        screenshots = app.screenshots.map(Self.withShortTitle(app))
        layout = AppStoreLayout(size, screenshots: screenshots.count)
        lines = AppStoreText.lines(app, columns: layout.text.columns)
    }

    /// The selected screenshot.
    var selected: CatalogPicture? { screenshots.indices.contains(selection) ? screenshots[selection] : nil }

    /// The screenshots that are completely visible.
    var screenshotsInSight: Range<Int> {
        firstScreenshot..<min(firstScreenshot + layout.stripCount, screenshots.count)
    }

    /// Sets a new size; the selected screenshot stays visible.
    mutating func resize(_ size: ScreenSize) {
        layout = AppStoreLayout(size, screenshots: screenshots.count)
        lines = AppStoreText.lines(app, columns: layout.text.columns)
        scroll(to: firstLine)
        scrollToSelection()
    }

    /// Moves through the screenshots with left and right, and through the text with the other moves.
    mutating func take(_ move: Move) {
        switch move {
        case .left, .right: selectScreenshot(move)
        default: scroll(to: move.line(from: firstLine, page: layout.text.rows))
        }
    }

    /// Moves through the screenshots only.
    mutating func selectScreenshot(_ move: Move) {
        selection = move.alongOne.target(from: selection, of: screenshots.count, columns: 1, rows: 1)
        scrollToSelection()
    }

    /// Removes the app's name, which is shown above: `Camera, phone 1` becomes `phone 1`.
    private static func withShortTitle(_ app: AppStoreEntity) -> (CatalogPicture) -> CatalogPicture {
        { picture in
            let start = app.name + ", "
            let title =
                picture.title.hasPrefix(start) ? String(picture.title.dropFirst(start.count)) : picture.title
            return CatalogPicture(url: picture.url, title: title)
        }
    }

    private mutating func scroll(to line: Int) {
        firstLine = min(max(line, 0), max(lines.count - layout.text.rows, 0))
    }

    private mutating func scrollToSelection() {
        guard layout.stripCount > 0 else { return firstScreenshot = 0 }
        firstScreenshot = min(firstScreenshot, max(screenshots.count - layout.stripCount, 0))
        firstScreenshot = min(max(firstScreenshot, selection - layout.stripCount + 1), selection)
    }
}

/// The layout of an app's page: the icon beside the text, and the strip of screenshots below.
///
/// A screen that is too low for both shows only the text.
struct AppStoreLayout: Hashable, Sendable {
    /// The area of the icon; narrow screens have none.
    let icon: CellArea?
    /// The area of the text.
    let text: CellArea
    /// The number of screenshots side by side; 0 without a strip.
    let stripCount: Int
    private let firstScreenshot: CellArea

    private static let leastTextRows = 3
    private static let leastStripRows = 5

    init(_ size: ScreenSize, screenshots: Int) {
        let body = ScreenBands(size).bodyArea
        let strip = Self.stripRows(in: body.rows, screenshots: screenshots)
        let textRows = body.rows - strip
        icon = Self.icon(in: body, rows: textRows, size)
        let left = icon.map { $0.column + $0.columns + 2 } ?? min(1, size.columns - 1)
        text = CellArea(
            row: body.row,
            column: left,
            rows: textRows,
            columns: max(min(size.columns - left - 1, 90), 1)
        )
        let picture = Self.screenshot(rows: strip - WallLayout.border.rows, size)
        firstScreenshot = CellArea(
            row: body.row + textRows + 1,
            column: 1,
            rows: max(picture.rows, 0),
            columns: max(picture.columns, 0)
        )
        stripCount = strip == 0 ? 0 : size.columns / (picture.columns + WallLayout.border.columns)
    }

    /// Returns the area of the screenshot at `place` among the visible ones.
    func screenshotArea(_ place: Int) -> CellArea {
        var area = firstScreenshot
        area.column += place * (area.columns + WallLayout.border.columns)
        return area
    }

    /// Returns the height of the strip, a little more than half of the screen.
    private static func stripRows(in rows: Int, screenshots: Int) -> Int {
        let wanted = max(rows * 11 / 20, leastStripRows)
        return screenshots > 0 && rows - wanted >= leastTextRows ? wanted : 0
    }

    /// Returns the size of a phone's screenshot of this height, at most as wide as the screen.
    private static func screenshot(rows: Int, _ size: ScreenSize) -> (columns: Int, rows: Int) {
        let columns = rows * size.cellHeightPixels * 3 / (5 * size.cellWidthPixels)
        return (min(max(columns, 4), max(size.columns - WallLayout.border.columns, 1)), rows)
    }

    private static func icon(in body: CellArea, rows: Int, _ size: ScreenSize) -> CellArea? {
        let iconRows = min(rows - 1, 6)
        let columns = iconRows * size.cellHeightPixels / size.cellWidthPixels
        guard iconRows >= 3, columns * 4 <= size.columns else { return nil }
        return CellArea(row: body.row + 1, column: 1, rows: iconRows, columns: columns)
    }
}

/// The text on the page of an app.
enum AppStoreText {
    /// Returns the text in lines of at most `columns`.
    static func lines(_ app: AppStoreEntity, columns: Int) -> [StyledLine] {
        let facts = [rating(app), app.price, app.version.map { "version \($0)" }].compactMap { $0 }
        let head: [(String, TextStyle)] = [
            ("", .plain), (app.name, .bold), (app.developer ?? "", .plain),
            (facts.joined(separator: " · "), .plain),
            (app.genres.joined(separator: ", "), .plain), (app.bundleID ?? "", .dim), (app.storePage, .dim),
        ]
        let top = head.enumerated().filter { $0.offset == 0 || !$0.element.0.isEmpty }.map(\.element)
        return (top + [("", .plain), (app.summary, .plain)]).flatMap { text, style in
            TextLines.wrap(text, columns: columns).map { StyledLine(text: $0, style: style) }
        }
    }

    private static func rating(_ app: AppStoreEntity) -> String? {
        app.rating.map { "\($0.text) of 5 (\(grouped($0.count)) ratings)" }
    }

    /// Formats a number with a comma at each thousand.
    private static func grouped(_ number: Int) -> String {
        let digits = Array("\(number)")
        return digits.enumerated().map { index, digit in
            (digits.count - index) % 3 == 0 && index > 0 && digits[index - 1].isNumber
                ? ",\(digit)" : "\(digit)"
        }.joined()
    }
}
