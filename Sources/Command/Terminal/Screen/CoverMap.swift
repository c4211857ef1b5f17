/// The text of a frame as it is seen between its pictures.
struct CoverMap {
    /// A cell each; `nil` where a picture is drawn that text has nothing to do with.
    private(set) var cells: [Frame.Cell?]
    private let columns: Int

    /// What is on the screen after `frame` was shown.
    init(shown frame: Frame) {
        self.init(frame)
        // Below kitty's pictures the ground stays what it is; what else is drawn has taken its place.
        for placement in frame.placements {
            cover(placement.area, with: placement.kitty == nil ? nil : .blank)
        }
    }

    /// What is to be written for `frame` to be shown, when the pictures in `kept` are on the screen already.
    init(wanted frame: Frame, keeping kept: Set<Frame.Placement>) {
        self.init(frame)
        for placement in frame.placements {
            // A transparent picture of pixels shows what is below it, which is to be the terminal's ground.
            let needsGround = placement.isPixels && !kept.contains(placement)
            cover(placement.area, with: needsGround ? .blank : nil)
        }
    }

    private init(_ frame: Frame) {
        // The array's own conversion casts each cell at run time, which took most of the time of a frame.
        cells = frame.cells.map(Optional.init)
        columns = frame.size.columns
    }

    /// The columns of the character in a cell.
    func width(at index: Int) -> Int {
        let end = (index / columns + 1) * columns
        var next = index + 1
        while next < end, cells[next]?.isCovered == true { next += 1 }
        return next - index
    }

    /// The column from which on a line has nothing but plain blanks.
    func blankEnd(of row: Int) -> Int {
        var column = columns
        while column > 0, cells[row * columns + column - 1] == .blank { column -= 1 }
        return column
    }

    private mutating func cover(_ area: CellArea, with cell: Frame.Cell?) {
        for row in area.row..<area.row + area.rows {
            let line = row * columns
            cut(line + area.column, line)
            cut(line + area.column + area.columns, line)
            for column in area.column..<area.column + area.columns { cells[line + column] = cell }
        }
    }

    /// Blanks the wide character that reaches over the left edge of the cell at `index`, if there is one.
    private mutating func cut(_ index: Int, _ line: Int) {
        guard index < line + columns, cells[index]?.isCovered == true else { return }
        var first = index
        while first > line, cells[first]?.isCovered == true { first -= 1 }
        var last = index
        while last < line + columns, cells[last]?.isCovered == true { last += 1 }
        for position in first..<last { cells[position] = .blank }
    }
}
