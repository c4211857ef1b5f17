/// A rectangle of a screen's cells, counted from 0 at the top left.
public struct CellArea: Hashable, Sendable {
    /// Its first line.
    public var row: Int
    /// Its first column.
    public var column: Int
    /// Its lines.
    public var rows: Int
    /// Its columns.
    public var columns: Int

    /// Creates an area.
    public init(row: Int, column: Int, rows: Int, columns: Int) {
        self.row = row
        self.column = column
        self.rows = rows
        self.columns = columns
    }

    /// Whether both have a cell in common.
    public func overlaps(_ other: CellArea) -> Bool {
        row < other.row + other.rows && other.row < row + rows
            && column < other.column + other.columns && other.column < column + columns
    }

    /// The part of it that is on a screen; it may be empty.
    func clipped(to screen: ScreenSize) -> CellArea {
        let (top, left) = (min(max(row, 0), screen.rows), min(max(column, 0), screen.columns))
        let (bottom, right) = (min(row + rows, screen.rows), min(column + columns, screen.columns))
        return CellArea(row: top, column: left, rows: max(bottom - top, 0), columns: max(right - left, 0))
    }
}
