/// Where the parts of an app's page are: the icon beside the text, and the strip of screenshots below.
///
/// A screen too low for both shows the text only.
struct AppLayout: Hashable, Sendable {
    /// The icon's cells; narrow screens have none.
    let icon: CellArea?
    /// The lines of text.
    let text: CellArea
    /// The screenshots side by side; none where there is no strip.
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

    /// Where the picture is that has this place among those in sight.
    func screenshotArea(_ place: Int) -> CellArea {
        var area = firstScreenshot
        area.column += place * (area.columns + WallLayout.border.columns)
        return area
    }

    /// A little more than half of the screen.
    private static func stripRows(in rows: Int, screenshots: Int) -> Int {
        let wanted = max(rows * 11 / 20, leastStripRows)
        return screenshots > 0 && rows - wanted >= leastTextRows ? wanted : 0
    }

    /// The cells that a phone's screenshot of this height takes, at most the screen's width.
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
