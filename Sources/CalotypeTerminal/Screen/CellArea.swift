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
}
