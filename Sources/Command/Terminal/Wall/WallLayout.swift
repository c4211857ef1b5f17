/// The layout of a wall's cells on a screen.
///
/// A cell has a picture, a line above it and a column on each side for the frame of the selection, and the
/// caption below. All cells have the same size.
struct WallLayout: Hashable, Sendable {
    let bands: ScreenBands
    /// Number of cells side by side; 0 if the screen is too small.
    let columns: Int
    /// Number of lines of cells; 0 if the screen is too small.
    let rows: Int
    /// The size of the picture in each cell.
    let pictureColumns: Int
    let pictureRows: Int

    /// The space for the frame and the caption around the picture.
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

    /// Maximum number of cells on the screen.
    var capacity: Int { columns * rows }

    /// Whether the screen has no space for a single cell.
    var isTooSmall: Bool { capacity == 0 }

    /// Returns the area of the picture in the given cell.
    func pictureArea(row: Int, column: Int) -> CellArea {
        let left = (bands.size.columns - columns * (pictureColumns + Self.border.columns)) / 2
        return CellArea(
            row: bands.body.lowerBound + row * (pictureRows + Self.border.rows) + 1,
            column: left + column * (pictureColumns + Self.border.columns) + 1,
            rows: pictureRows,
            columns: pictureColumns
        )
    }

    /// Returns the number of cells that brings their size nearest to `wanted`, but not below `least`.
    private static func count(in room: Int, wanted: Int, least: Int) -> Int {
        min(max((room + wanted / 2) / wanted, 1), room / least)
    }
}

/// The parts of the screen from top to bottom: the title line, the body, and the status line.
struct ScreenBands: Hashable, Sendable {
    let size: ScreenSize
    /// The title line; low screens have none.
    let titleRow: Int?
    /// The lines of the body; empty on a screen with one line.
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
