/// How large a wall's cells are wanted: the picture's columns and lines, to which the caption comes.
///
/// The wall takes the number of cells that comes nearest, and divides the screen among them evenly.
public struct WallCellSize: Hashable, Sendable {
    /// The picture's columns, 6 to 500.
    public let columns: Int
    /// The picture's lines, 2 to 250.
    public let rows: Int

    /// 16 columns by 7 lines, nearly a square in most fonts.
    public static let standard = WallCellSize(columns: 16, rows: 7)

    /// Creates a size; what is out of range becomes the nearest in range.
    public init(columns: Int, rows: Int) {
        self.columns = min(max(columns, Self.smallest.columns), 500)
        self.rows = min(max(rows, Self.smallest.rows), 250)
    }

    static let smallest = (columns: 6, rows: 2)
}
