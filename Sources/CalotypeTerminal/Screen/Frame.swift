import CommandLineKit

/// What the whole screen is to show: text in cells, and pictures over them.
///
/// It is a value: a view makes a new one for each change, and the screen writes what differs from the one before.
public struct Frame: Hashable, Sendable {
    /// One cell: a character and how it looks. The cell right of a character of two columns is ``Cell/covered``.
    struct Cell: Hashable, Sendable {
        var character: Character
        var style: TextStyle

        static let blank = Cell(character: " ", style: .plain)
        static let covered = Cell(character: "\0", style: .plain)
    }

    /// A picture and where it is.
    struct Placement: Hashable, Sendable {
        let picture: TerminalPicture
        let row: Int
        let column: Int
    }

    /// The screen that it is for.
    public let size: ScreenSize
    /// Where the cursor stands, `nil` where it is not shown.
    public var cursor: (row: Int, column: Int)? {
        get { cursorCell.map { ($0.row, $0.column) } }
        set { cursorCell = newValue.map { CellArea(row: $0.row, column: $0.column, rows: 1, columns: 1) } }
    }

    /// Line by line, `size.rows` times `size.columns`.
    private(set) var cells: [Cell]
    private(set) var placements: [Placement] = []
    private var cursorCell: CellArea?

    /// Creates an empty frame.
    public init(_ size: ScreenSize) {
        self.size = size
        cells = Array(repeating: .blank, count: size.columns * size.rows)
    }

    /// Writes `text` in one line from a cell on; what finds no room in `columns`, or on the screen, is left out.
    ///
    /// - Returns: The columns it takes.
    @discardableResult
    public mutating func write(
        _ text: String,
        row: Int,
        column: Int,
        columns: Int = .max,
        style: TextStyle = .plain
    ) -> Int {
        guard (0..<size.rows).contains(row), column >= 0 else { return 0 }
        var position = column
        let end = min(size.columns, columns > size.columns ? size.columns : column + columns)
        for character in text {
            let width = TextWidth.columns(of: String(character))
            guard width > 0 else { continue }
            guard position + width <= end else { break }
            cells[row * size.columns + position] = Cell(character: character, style: style)
            for covered in 1..<max(width, 1) where width > 1 {
                cells[row * size.columns + position + covered] = .covered
            }
            position += width
        }
        return position - column
    }

    /// Fills an area, as far as it is on the screen, with blanks of this style.
    public mutating func fill(_ area: CellArea, style: TextStyle) {
        for row in max(area.row, 0)..<max(min(area.row + area.rows, size.rows), max(area.row, 0)) {
            for column in max(
                area.column,
                0
            )..<max(
                min(area.column + area.columns, size.columns),
                max(area.column, 0)
            ) {
                cells[row * size.columns + column] = Cell(character: " ", style: style)
            }
        }
    }

    /// Puts a picture over the cells from this one on; one that does not fit wholly on the screen is left out.
    public mutating func place(_ picture: TerminalPicture, row: Int, column: Int) {
        guard row >= 0, column >= 0, row + picture.rows <= size.rows, column + picture.columns <= size.columns
        else { return }
        placements.append(Placement(picture: picture, row: row, column: column))
    }
}
