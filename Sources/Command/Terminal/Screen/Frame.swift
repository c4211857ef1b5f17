/// The content of the whole screen: text in cells, and pictures over them.
///
/// A frame is a value: a view creates a new one for each change, and the screen writes the differences from
/// the previous one.
public struct Frame: Hashable, Sendable {
    /// One cell: a character and its style.
    ///
    /// The cells to the right of a wide character are ``covered``.
    struct Cell: Hashable, Sendable {
        var character: Character
        var style: TextStyle

        static let blank = Cell(character: " ", style: .plain)
        static let covered = Cell(character: "\0", style: .plain)

        var isCovered: Bool { character == "\0" }
    }

    /// A picture and its position.
    struct Placement: Hashable, Sendable {
        let picture: TerminalPicture
        let row: Int
        let column: Int

        var area: CellArea {
            CellArea(row: row, column: column, rows: picture.rows, columns: picture.columns)
        }
    }

    /// The screen size.
    public let size: ScreenSize
    /// The position of the cursor; `nil` if it is hidden.
    public var cursor: (row: Int, column: Int)? {
        get { cursorCell.map { ($0.row, $0.column) } }
        set { cursorCell = newValue.map { CellArea(row: $0.row, column: $0.column, rows: 1, columns: 1) } }
    }

    /// Line by line, `size.rows` times `size.columns` cells.
    private(set) var cells: [Cell]
    /// Pictures that do not overlap.
    private(set) var placements: [Placement] = []
    private var cursorCell: CellArea?

    /// Creates an empty frame.
    public init(_ size: ScreenSize) {
        self.size = size
        cells = Array(repeating: .blank, count: size.columns * size.rows)
    }

    /// The text without pictures, one line for each row, without trailing spaces.
    public var plainText: String {
        (0..<size.rows).map { row in
            let line = cells[row * size.columns..<(row + 1) * size.columns].filter { !$0.isCovered }
            let end = line.lastIndex { $0.character != " " }.map { line.index(after: $0) } ?? line.startIndex
            return String(line[..<end].map(\.character))
        }.joined(separator: "\n")
    }

    /// The areas of the pictures, in the order in which they were placed.
    public var pictureAreas: [CellArea] { placements.map(\.area) }

    /// Writes `text` on one line starting at a cell; truncates it to `columns` and the screen.
    ///
    /// Drops invisible characters, such as control characters.
    ///
    /// - Returns: The number of columns written.
    @discardableResult
    public mutating func write(
        _ text: String,
        row: Int,
        column: Int,
        columns: Int = .max,
        style: TextStyle = .plain
    ) -> Int {
        guard (0..<size.rows).contains(row), (0..<size.columns).contains(column) else { return 0 }
        var position = column
        let end = column + min(columns, size.columns - column)
        for character in text {
            guard let cell = ScreenText.cell(for: character) else { continue }
            guard position + cell.columns <= end else { break }
            put(Cell(character: cell.character, style: style), row: row, column: position)
            for covered in 1..<max(cell.columns, 1) { put(.covered, row: row, column: position + covered) }
            position += cell.columns
        }
        return position - column
    }

    /// Fills the visible part of an area with blanks in the given style.
    public mutating func fill(_ area: CellArea, style: TextStyle) {
        let area = area.clipped(to: size)
        for row in area.row..<area.row + area.rows {
            for column in area.column..<area.column + area.columns {
                put(Cell(character: " ", style: style), row: row, column: column)
            }
        }
    }

    /// Places a picture with its top left corner at a cell; ignores one that does not completely fit on the
    /// screen.
    ///
    /// Removes pictures that it overlaps.
    public mutating func place(_ picture: TerminalPicture, row: Int, column: Int) {
        let placement = Placement(picture: picture, row: row, column: column)
        guard placement.area.clipped(to: size) == placement.area else { return }
        placements.removeAll { $0.area.overlaps(placement.area) }
        placements.append(placement)
    }

    /// Returns the frame for a screen of another size, truncated or filled with blanks.
    func fitted(to other: ScreenSize) -> Frame {
        guard other != size else { return self }
        var frame = Frame(other)
        for row in 0..<min(size.rows, other.rows) {
            for column in 0..<min(size.columns, other.columns) {
                frame.put(cells[row * size.columns + column], row: row, column: column)
            }
            frame.mendEnd(of: row, whole: size.columns <= other.columns)
        }
        for placement in placements {
            frame.place(placement.picture, row: placement.row, column: placement.column)
        }
        if let cursor {
            frame.cursor = (min(cursor.row, other.rows - 1), min(cursor.column, other.columns - 1))
        }
        return frame
    }

    /// Sets one cell; a wide character that loses a part becomes blank.
    private mutating func put(_ cell: Cell, row: Int, column: Int) {
        let position = row * size.columns + column
        var next = position + 1
        while next < (row + 1) * size.columns, cells[next].isCovered {
            cells[next] = .blank
            next += 1
        }
        if !cell.isCovered {
            var first = position
            while cells[first].isCovered, first > row * size.columns { first -= 1 }
            for index in first..<position { cells[index] = .blank }
        }
        cells[position] = cell
    }

    /// Blanks the last character of a line if it was truncated in the middle.
    private mutating func mendEnd(of row: Int, whole: Bool) {
        guard !whole else { return }
        var last = (row + 1) * size.columns - 1
        while last > row * size.columns, cells[last].isCovered { last -= 1 }
        let columns = ScreenText.cell(for: cells[last].character)?.columns ?? 1
        guard last + columns > (row + 1) * size.columns else { return }
        for index in last..<(row + 1) * size.columns { cells[index] = .blank }
    }
}
