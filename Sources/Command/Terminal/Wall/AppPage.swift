import CalotypeCatalog

/// An app that is open: its text, which scrolls, and below it a strip of screenshots, which has a selection.
struct AppPage: Hashable, Sendable {
    let app: AppEntity
    /// The screenshots, those for phones first.
    let screenshots: [CatalogPicture]
    private(set) var layout: AppLayout
    private(set) var lines: [StyledLine]
    /// The first line of text in sight.
    private(set) var firstLine = 0
    /// The selected screenshot, 0 where there is none.
    private(set) var selection = 0
    /// The first screenshot in sight.
    private(set) var firstScreenshot = 0

    init(_ app: AppEntity, on size: ScreenSize) {
        self.app = app
        screenshots = app.screenshots.map(Self.withShortTitle(app))
        layout = AppLayout(size, screenshots: screenshots.count)
        lines = AppText.lines(app, columns: layout.text.columns)
    }

    /// The selected screenshot.
    var selected: CatalogPicture? { screenshots.indices.contains(selection) ? screenshots[selection] : nil }

    /// The screenshots of which all is in sight.
    var screenshotsInSight: Range<Int> {
        firstScreenshot..<min(firstScreenshot + layout.stripCount, screenshots.count)
    }

    /// Takes a new size; the selected screenshot stays in sight.
    mutating func resize(_ size: ScreenSize) {
        layout = AppLayout(size, screenshots: screenshots.count)
        lines = AppText.lines(app, columns: layout.text.columns)
        scroll(to: firstLine)
        scrollToSelection()
    }

    /// Left and right move over the screenshots, the others through the text.
    mutating func take(_ move: Move) {
        switch move {
        case .left, .right: selectScreenshot(move)
        default: scroll(to: move.line(from: firstLine, page: layout.text.rows))
        }
    }

    /// Moves over the screenshots only.
    mutating func selectScreenshot(_ move: Move) {
        selection = move.alongOne.target(from: selection, of: screenshots.count, columns: 1, rows: 1)
        scrollToSelection()
    }

    /// Whose they are is told above them: `phone 1` is left of `Camera, phone 1`.
    private static func withShortTitle(_ app: AppEntity) -> (CatalogPicture) -> CatalogPicture {
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
