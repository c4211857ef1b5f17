import CalotypeCommandLineKit

/// The room for a small picture before each row of a table that is printed on the normal screen.
///
/// The table is printed at once, and the pictures are filled in above the cursor as they come (``InlinePictures``). Rows
/// are as high as the table allows that still fits the screen, 3 lines at most.
public struct PictureColumn: Hashable, Sendable {
    /// The lines of one row, 1 to 3.
    public let rowHeight: Int
    /// The columns of one picture: about a square.
    public let pictureColumns: Int
    private let rows: Int

    /// Creates the room for `rows` pictures below one line of titles, and above the line of the cursor.
    public init(rows: Int, on screen: ScreenSize) {
        self.rows = rows
        rowHeight = [3, 2].first { $0 * rows + 2 <= screen.rows } ?? 1
        let width = rowHeight * screen.cellHeightPixels
        pictureColumns = max(1, (width + screen.cellWidthPixels / 2) / screen.cellWidthPixels)
    }

    /// The columns that it takes from the table.
    public var columns: Int { pictureColumns + 1 }

    /// The table with room at its left: the titles, then for each row as many lines as a picture is high.
    ///
    /// - Returns: The lines without their ends; the text of a row stands in the middle one.
    public func lines(of table: [String]) -> [String] {
        let indent = String(repeating: " ", count: columns)
        return table.enumerated().flatMap { index, line in
            guard index > 0 else { return [indent + line] }
            var lines = Array(repeating: "", count: rowHeight)
            lines[(rowHeight - 1) / 2] = indent + line
            return lines
        }
    }

    /// The rows whose pictures are wholly on the screen, counted from 0; the ones above have been scrolled away.
    public func rowsInSight(on screen: ScreenSize) -> Range<Int> {
        max(0, rows - (screen.rows - 1) / rowHeight)..<rows
    }

    /// How many lines above the cursor the picture of row `index`, counted from 0, begins.
    public func linesAboveCursor(ofRow index: Int) -> Int {
        (rows - index) * rowHeight
    }
}
