/// The bytes that change the screen from one frame to another.
///
/// Only cells that differ are written. Pictures that stay are not touched. A removed picture is overwritten
/// with blanks, which also erase sixels; kitty's images are deleted by their numbers. The terminal is
/// requested to show the whole update in one step (synchronized output, private mode 2026); terminals without
/// this mode ignore the request.
struct FrameDifference {
    private let old: Frame
    private let new: Frame
    /// Whether the screen's content is unknown, so that it is erased first.
    private let isAnew: Bool
    /// Whether images that blanks do not erase may be on the screen.
    private let hadKitty: Bool
    private let keptPlacements: Set<Frame.Placement>
    private var writer: ScreenWriter

    /// Returns the bytes that show `new` after `old`; empty if both look the same.
    ///
    /// - Parameters:
    ///   - old: The last frame; `nil` at first.
    ///   - new: The next frame.
    ///   - isAnew: Whether the screen may differ from `old`, so that everything must be written.
    /// - Returns: The bytes for the terminal.
    static func bytes(from old: Frame?, to new: Frame, isAnew: Bool = false) -> [UInt8] {
        var difference = FrameDifference(from: old, to: new, isAnew: isAnew)
        return difference.bytes()
    }

    private init(from old: Frame?, to new: Frame, isAnew: Bool) {
        self.isAnew = isAnew || old?.size != new.size
        hadKitty = old?.placements.contains { $0.kitty != nil } ?? false
        self.old = self.isAnew ? Frame(new.size) : old ?? Frame(new.size)
        self.new = new
        keptPlacements = Set(self.old.placements).intersection(new.placements)
        writer = ScreenWriter(columns: new.size.columns)
    }

    private mutating func bytes() -> [UInt8] {
        if isAnew { writer.send("\u{1B}[0m\u{1B}[2J") }
        deletePictures()
        writeText()
        placePictures()
        writer.set(.plain)
        placeCursor()
        guard !writer.bytes.isEmpty else { return [] }
        return Array("\u{1B}[?2026h".utf8) + writer.bytes + Array("\u{1B}[?2026l".utf8)
    }

    private mutating func deletePictures() {
        guard !isAnew else {
            if hadKitty { writer.send(KittyImage.deletionOfAll) }
            return
        }
        let remaining = Set(new.placements.map(\.picture))
        for placement in old.placements where !keptPlacements.contains(placement) {
            guard let image = placement.kitty else { continue }
            let number = placement.number(on: new.size)
            let isLast = !remaining.contains(placement.picture)
            writer.send(isLast ? image.deletion : image.deletion(ofPlacement: number))
        }
    }

    private mutating func writeText() {
        let before = CoverMap(shown: old)
        let after = CoverMap(wanted: new, keeping: keptPlacements)
        for row in 0..<new.size.rows { writeText(row, before, after) }
    }

    private mutating func writeText(_ row: Int, _ before: CoverMap, _ after: CoverMap) {
        let columns = new.size.columns
        let blankFrom = after.blankEnd(of: row)
        var column = 0
        while column < columns {
            let index = row * columns + column
            guard let cell = after.cells[index], !cell.isCovered else {
                column += 1
                continue
            }
            let width = after.width(at: index)
            // The remains of a removed or moved picture are unknown.
            let differs = (index..<index + width).contains { before.cells[$0] != after.cells[$0] }
            if differs {
                writer.move(row: row, column: column)
                if column >= blankFrom, columns - column > 3 {
                    writer.eraseLine()
                    return
                }
                writer.write(cell, columns: width)
            }
            column += width
        }
    }

    private mutating func placePictures() {
        var sent = isAnew ? [] : Set(old.placements.map(\.picture))
        for placement in new.placements where !keptPlacements.contains(placement) {
            let (row, column) = (placement.row, placement.column)
            switch placement.picture.content {
            case .symbols(let lines):
                for (offset, line) in lines.enumerated() {
                    writer.draw(line, row: row + offset, column: column)
                }
            case .sixel(let bytes): writer.draw(bytes, row: row, column: column)
            case .kitty(let image):
                let isNew = sent.insert(placement.picture).inserted
                if isNew { writer.draw(image.transmission, row: row, column: column) }
                let (columns, rows) = (placement.picture.columns, placement.picture.rows)
                let number = placement.number(on: new.size)
                writer.draw(
                    image.placement(number: number, columns: columns, rows: rows),
                    row: row,
                    column: column
                )
            }
        }
    }

    private mutating func placeCursor() {
        if let cursor = new.cursor {
            let isMoved = isAnew || !writer.bytes.isEmpty || old.cursor.map { $0 != cursor } ?? true
            if isMoved { writer.send("\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H") }
            if isAnew || old.cursor == nil { writer.send("\u{1B}[?25h") }
        } else if isAnew || old.cursor != nil {
            writer.send("\u{1B}[?25l")
        }
    }
}

/// The text of a frame that is visible between its pictures.
struct CoverMap {
    /// One entry for each cell; `nil` if a picture there is independent of the text.
    private(set) var cells: [Frame.Cell?]
    private let columns: Int

    /// Creates the map of the screen after `frame` was shown.
    init(shown frame: Frame) {
        self.init(frame)
        // Below kitty's images the text stays; other pictures have replaced it.
        for placement in frame.placements {
            cover(placement.area, with: placement.kitty == nil ? nil : .blank)
        }
    }

    /// Creates the map of what must be written to show `frame`, if the pictures in `kept` are already on the
    /// screen.
    init(wanted frame: Frame, keeping kept: Set<Frame.Placement>) {
        self.init(frame)
        for placement in frame.placements {
            // A transparent pixel picture shows the background below it, which must be the terminal's own.
            let needsGround = placement.isPixels && !kept.contains(placement)
            cover(placement.area, with: needsGround ? .blank : nil)
        }
    }

    private init(_ frame: Frame) {
        // The array's own conversion casts each cell at run time, which took most of the time for a frame.
        cells = frame.cells.map(Optional.init)
        columns = frame.size.columns
    }

    /// Returns the number of columns of the character in a cell.
    func width(at index: Int) -> Int {
        let end = (index / columns + 1) * columns
        var next = index + 1
        while next < end, cells[next]?.isCovered == true { next += 1 }
        return next - index
    }

    /// Returns the column after which a line contains only plain blanks.
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

    /// Blanks the wide character that starts left of the cell at `index` and covers it, if any.
    private mutating func cut(_ index: Int, _ line: Int) {
        guard index < line + columns, cells[index]?.isCovered == true else { return }
        var first = index
        while first > line, cells[first]?.isCovered == true { first -= 1 }
        var last = index
        while last < line + columns, cells[last]?.isCovered == true { last += 1 }
        for position in first..<last { cells[position] = .blank }
    }
}
