/// The bytes that turn one frame on the screen into another.
///
/// Only cells that differ are written. Pictures that stay are not touched; a picture that went leaves blanks, which also
/// wipe out sixels, and those of kitty's protocol are deleted by their numbers. The terminal is told to show all of it at
/// once (synchronized output, private mode 2026), which those that do not know it ignore.
struct FrameDifference {
    private let old: Frame
    private let new: Frame
    /// Whether nothing is known of the screen, so that it is wiped first.
    private let isAnew: Bool
    /// Whether pictures may be on the screen that no blanks wipe out.
    private let hadKitty: Bool
    private let keptPlacements: Set<Frame.Placement>
    private var writer: ScreenWriter

    /// The bytes that show `new` where `old` was shown last; none where both show the same.
    ///
    /// - Parameters:
    ///   - old: What was shown last; `nil` at first.
    ///   - new: What is to be shown.
    ///   - isAnew: Whether the screen may show something else than `old`, so that all of it is to be written.
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
            // What a picture that is gone or moved has left is not known.
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
