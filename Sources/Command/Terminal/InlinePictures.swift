public import CalotypeCommandLineKit

/// Pictures among printed text, on the normal screen: each is drawn some lines above the cursor, which then comes back.
///
/// Nothing scrolls. Print the text with room for the pictures first, then draw them in any order.
public struct InlinePictures: Sendable {
    private let output: TerminalOutput
    private let screen: ScreenSize

    /// Creates pictures on a terminal of this size.
    public init(_ output: TerminalOutput, screen: ScreenSize) {
        self.output = output
        self.screen = screen
    }

    /// Makes the bytes that draw a picture above the cursor, and bring the cursor back to where it was.
    ///
    /// - Parameters:
    ///   - picture: The picture.
    ///   - lines: How far its first line is above the cursor's.
    ///   - column: Its first column, from 0.
    /// - Returns: The bytes; `nil` where that line has left the screen, or the picture would not end above the cursor or
    ///   reach over the right edge.
    public func bytes(_ picture: TerminalPicture, linesAbove lines: Int, column: Int) -> [UInt8]? {
        guard lines < screen.rows, lines >= picture.rows else { return nil }
        guard column >= 0, column + picture.columns <= screen.columns else { return nil }
        // The cursor's place is kept and taken back by the terminal: no matter where a drawing leaves it.
        var bytes: [UInt8] = []
        for (offset, drawing) in drawings(of: picture).enumerated() {
            bytes += Array("\u{1B}7\u{1B}[\(lines - offset)A\u{1B}[\(column + 1)G".utf8)
            bytes += drawing
            bytes += Array("\u{1B}8".utf8)
        }
        return bytes
    }

    /// Draws a picture as ``bytes(_:linesAbove:column:)`` says; what has left the screen is left out.
    ///
    /// - Throws: `OutputError`.
    public func draw(_ picture: TerminalPicture, linesAbove lines: Int, column: Int) throws(OutputError) {
        if let bytes = bytes(picture, linesAbove: lines, column: column) { try output.write(bytes) }
    }

    /// What is drawn, line by line.
    private func drawings(of picture: TerminalPicture) -> [[UInt8]] {
        switch picture.content {
        case .symbols(let lines): lines
        case .sixel(let bytes): [bytes]
        case .kitty(let image):
            [image.transmission + image.placement(number: 1, columns: picture.columns, rows: picture.rows)]
        }
    }
}

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
