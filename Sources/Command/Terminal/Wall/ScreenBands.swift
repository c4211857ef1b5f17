/// The screen from top to bottom: a line that tells where one is, the body, and the line of figures.
struct ScreenBands: Hashable, Sendable {
    let size: ScreenSize
    /// The line of the title; low screens have none.
    let titleRow: Int?
    /// The lines of the body; none on a screen of one line.
    let body: Range<Int>

    var statusRow: Int { size.rows - 1 }

    init(_ size: ScreenSize) {
        self.size = size
        titleRow = size.rows >= 12 ? 0 : nil
        body = (titleRow == nil ? 0 : 1)..<max(size.rows - 1, titleRow == nil ? 0 : 1)
    }

    var bodyArea: CellArea {
        CellArea(row: body.lowerBound, column: 0, rows: body.count, columns: size.columns)
    }
}
