/// How large a terminal's screen is.
public struct ScreenSize: Hashable, Sendable {
    /// Characters from left to right, at least 1.
    public var columns: Int
    /// Lines from top to bottom, at least 1.
    public var rows: Int
    /// The pixels of one character's cell, for terminals that show pictures as pixels; 8 by 16 where it is not known.
    public var cellWidthPixels: Int
    /// See ``cellWidthPixels``.
    public var cellHeightPixels: Int

    /// Creates a size; what is below 1 becomes 1.
    public init(columns: Int, rows: Int, cellWidthPixels: Int = 8, cellHeightPixels: Int = 16) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
        self.cellWidthPixels = max(cellWidthPixels, 1)
        self.cellHeightPixels = max(cellHeightPixels, 1)
    }
}
