public import CalotypeCommandLineKit
package import CalotypeFiles

/// Pictures among printed text on the normal screen.
///
/// Each picture is drawn above the cursor, and the cursor then returns to its position. Nothing scrolls.
/// First print the text with space for the pictures, then draw them in any order.
public struct InlinePictures: Sendable {
    private let output: TerminalOutput
    private let screen: ScreenSize

    /// Creates pictures on a terminal of the given size.
    public init(_ output: TerminalOutput, screen: ScreenSize) {
        self.output = output
        self.screen = screen
    }

    /// Returns the bytes that draw a picture above the cursor and then restore the cursor's position.
    ///
    /// - Parameters:
    ///   - picture: The picture.
    ///   - lines: The distance in lines from the cursor up to the picture's first line.
    ///   - column: The picture's first column, from 0.
    /// - Returns: The bytes; `nil` if that line has scrolled off the screen, or if the picture would reach
    ///   the cursor's line or cross the right edge.
    public func bytes(_ picture: TerminalPicture, linesAbove lines: Int, column: Int) -> [UInt8]? {
        guard lines < screen.rows, lines >= picture.rows else { return nil }
        guard column >= 0, column + picture.columns <= screen.columns else { return nil }
        // The terminal saves and restores the cursor's position, wherever a drawing leaves it.
        var bytes: [UInt8] = []
        for (offset, drawing) in drawings(of: picture).enumerated() {
            bytes += Array("\u{1B}7\u{1B}[\(lines - offset)A\u{1B}[\(column + 1)G".utf8)
            bytes += drawing
            bytes += Array("\u{1B}8".utf8)
        }
        return bytes
    }

    /// Draws a picture as ``bytes(_:linesAbove:column:)`` describes; skips one that has scrolled off the
    /// screen.
    ///
    /// - Throws: `SystemError`.
    package func draw(_ picture: TerminalPicture, linesAbove lines: Int, column: Int) throws(SystemError) {
        if let bytes = bytes(picture, linesAbove: lines, column: column) { try output.write(bytes) }
    }

    /// Returns the bytes for each line.
    private func drawings(of picture: TerminalPicture) -> [[UInt8]] {
        switch picture.content {
        case .symbols(let lines): lines
        case .sixel(let bytes): [bytes]
        case .kitty(let image):
            [image.transmission + image.placement(number: 1, columns: picture.columns, rows: picture.rows)]
        }
    }
}

/// The space for a small picture before each row of a table on the normal screen.
///
/// The table is printed immediately, and the pictures are drawn above the cursor as they arrive
/// (``InlinePictures``). Rows are as high as possible while the table still fits the screen, at most 3 lines.
public struct PictureColumn: Hashable, Sendable {
    /// The height of a row in lines, 1 to 3.
    public let rowHeight: Int
    /// The width of a picture in columns, so that it is about square.
    public let pictureColumns: Int
    private let rows: Int

    /// Creates the space for `rows` pictures below one title line and above the cursor's line.
    public init(rows: Int, on screen: ScreenSize) {
        self.rows = rows
        rowHeight = [3, 2].first { $0 * rows + 2 <= screen.rows } ?? 1
        let width = rowHeight * screen.cellHeightPixels
        pictureColumns = max(1, (width + screen.cellWidthPixels / 2) / screen.cellWidthPixels)
    }

    /// The number of columns that it takes from the table.
    public var columns: Int { pictureColumns + 1 }

    /// Returns the table with space on the left: the titles, then the lines of each row.
    ///
    /// - Returns: The lines without line ends; the text of a row is on its middle line.
    public func lines(of table: [String]) -> [String] {
        let indent = String(repeating: " ", count: columns)
        return table.enumerated().flatMap { index, line in
            guard index > 0 else { return [indent + line] }
            var lines = Array(repeating: "", count: rowHeight)
            lines[(rowHeight - 1) / 2] = indent + line
            return lines
        }
    }

    /// The rows whose pictures are completely on the screen, counted from 0; earlier ones have scrolled off.
    public func rowsInSight(on screen: ScreenSize) -> Range<Int> {
        max(0, rows - (screen.rows - 1) / rowHeight)..<rows
    }

    /// Returns the distance in lines from the cursor up to the picture of row `index`, counted from 0.
    public func linesAboveCursor(ofRow index: Int) -> Int {
        (rows - index) * rowHeight
    }
}
