public import CalotypeCommandLineKit
import CalotypePlatform

/// The size of a terminal's screen.
public struct ScreenSize: Hashable, Sendable {
    /// Number of columns, at least 1.
    public var columns: Int
    /// Number of lines, at least 1.
    public var rows: Int
    /// The size of a character cell in pixels, for pictures drawn as pixels; 8 by 16 if unknown.
    public var cellWidthPixels: Int
    /// See ``cellWidthPixels``.
    public var cellHeightPixels: Int

    /// Creates a size; values below 1 become 1.
    public init(columns: Int, rows: Int, cellWidthPixels: Int = 8, cellHeightPixels: Int = 16) {
        self.columns = max(columns, 1)
        self.rows = max(rows, 1)
        self.cellWidthPixels = max(cellWidthPixels, 1)
        self.cellHeightPixels = max(cellHeightPixels, 1)
    }
}

extension ScreenSize {
    /// Returns the size of a terminal's screen.
    ///
    /// - Parameter output: The terminal; standard output by default.
    /// - Returns: The size, 80 by 24 if the terminal does not know it; `nil` if `output` is not a terminal.
    public static func of(_ output: TerminalOutput = .standardOutput) -> ScreenSize? {
        var size = winsize()
        guard unsafe ioctl(output.descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        let columns = size.ws_col > 0 ? Int(size.ws_col) : 80
        let rows = size.ws_row > 0 ? Int(size.ws_row) : 24
        let (width, height) = (Int(size.ws_xpixel) / columns, Int(size.ws_ypixel) / rows)
        guard width > 0, height > 0 else { return ScreenSize(columns: columns, rows: rows) }
        return ScreenSize(columns: columns, rows: rows, cellWidthPixels: width, cellHeightPixels: height)
    }
}

/// A rectangle of screen cells, counted from 0 at the top left.
public struct CellArea: Hashable, Sendable {
    /// The first line.
    public var row: Int
    /// The first column.
    public var column: Int
    /// The number of lines.
    public var rows: Int
    /// The number of columns.
    public var columns: Int

    /// Creates an area.
    public init(row: Int, column: Int, rows: Int, columns: Int) {
        self.row = row
        self.column = column
        self.rows = rows
        self.columns = columns
    }

    /// Whether both areas have a cell in common.
    public func overlaps(_ other: CellArea) -> Bool {
        row < other.row + other.rows && other.row < row + rows
            && column < other.column + other.columns && other.column < column + columns
    }

    /// Returns the part of the area that is on the screen; it may be empty.
    func clipped(to screen: ScreenSize) -> CellArea {
        let (top, left) = (min(max(row, 0), screen.rows), min(max(column, 0), screen.columns))
        let (bottom, right) = (min(row + rows, screen.rows), min(column + columns, screen.columns))
        return CellArea(row: top, column: left, rows: max(bottom - top, 0), columns: max(right - left, 0))
    }
}
