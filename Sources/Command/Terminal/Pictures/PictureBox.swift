public import CalotypeCore

/// The room that a picture has on the screen.
public struct PictureBox: Hashable, Sendable {
    /// Columns of characters, at least 1.
    public let columns: Int
    /// Lines of characters, at least 1.
    public let rows: Int
    /// The pixels of one character's cell, which tell how much higher than wide it is.
    public let cellWidthPixels: Int
    /// See ``cellWidthPixels``.
    public let cellHeightPixels: Int

    /// Creates a box of some columns and rows on a screen; what is below 1 becomes 1.
    public init(columns: Int, rows: Int, on screen: ScreenSize) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
        cellWidthPixels = screen.cellWidthPixels
        cellHeightPixels = screen.cellHeightPixels
    }

    /// The pixels that a picture needs to fill the box well in this style: what to ask the pipeline for.
    ///
    /// Symbols show eight by eight points in a cell at most, of which no eye tells more than a few.
    public func pixels(for style: PictureStyle) -> PixelSize {
        switch style {
        case .kitty, .sixel: PixelSize(width: columns * cellWidthPixels, height: rows * cellHeightPixels)
        case .symbols, .none:
            PixelSize(width: columns * 8, height: rows * 8 * cellHeightPixels / cellWidthPixels)
        }
    }
}
