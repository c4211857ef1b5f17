/// Where the cells of a wall are on a screen.
///
/// A cell is a picture with a line above it and a column at either side, which its frame takes when it is selected, and
/// the caption below. All cells have the same size.
struct WallLayout: Hashable, Sendable {
    let bands: ScreenBands
    /// The cells side by side; none on a screen that is too small.
    let columns: Int
    /// The lines of cells; none on a screen that is too small.
    let rows: Int
    /// The picture's size in each cell.
    let pictureColumns: Int
    let pictureRows: Int

    /// A frame and a caption around the picture.
    static let border = (columns: 2, rows: 2)

    private static let smallest = (
        columns: WallCellSize.smallest.columns + border.columns,
        rows: WallCellSize.smallest.rows + border.rows
    )

    init(_ size: ScreenSize, cell: WallCellSize) {
        bands = ScreenBands(size)
        let room = (columns: size.columns, rows: bands.body.count)
        guard room.columns >= Self.smallest.columns, room.rows >= Self.smallest.rows else {
            (columns, rows, pictureColumns, pictureRows) = (0, 0, 0, 0)
            return
        }
        columns = Self.count(
            in: room.columns,
            wanted: cell.columns + Self.border.columns,
            least: Self.smallest.columns
        )
        rows = Self.count(in: room.rows, wanted: cell.rows + Self.border.rows, least: Self.smallest.rows)
        pictureColumns = room.columns / columns - Self.border.columns
        pictureRows = room.rows / rows - Self.border.rows
    }

    /// The cells on the screen at a time.
    var capacity: Int { columns * rows }

    /// Whether there is no room for one cell.
    var isTooSmall: Bool { capacity == 0 }

    /// Where the picture is of the cell in this line and column of cells.
    func pictureArea(row: Int, column: Int) -> CellArea {
        let left = (bands.size.columns - columns * (pictureColumns + Self.border.columns)) / 2
        return CellArea(
            row: bands.body.lowerBound + row * (pictureRows + Self.border.rows) + 1,
            column: left + column * (pictureColumns + Self.border.columns) + 1,
            rows: pictureRows,
            columns: pictureColumns
        )
    }

    /// The number of cells that makes each come nearest to `wanted`, none smaller than `least`.
    private static func count(in room: Int, wanted: Int, least: Int) -> Int {
        min(max((room + wanted / 2) / wanted, 1), room / least)
    }
}

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
