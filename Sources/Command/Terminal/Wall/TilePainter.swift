import Calotype
import CalotypeCommandLineKit
import CalotypeCore

/// Draws one picture of a wall with its caption, a frame if it is selected, and a mark if there is no
/// picture.
struct TilePainter {
    let picture: WantedPicture
    let state: SlotState<TerminalPicture>

    private var area: CellArea { picture.area }

    func draw(in frame: inout Frame) {
        switch state {
        case .image(let image): place(image, in: &frame)
        case .loading: drawMark("· · ·", .dim, in: &frame)
        case .placeholder: drawOutline(.dim, in: &frame)
        case .failure(let error):
            drawMark("✗ \(Self.code(of: error))", TextStyle(foreground: .red), in: &frame)
        }
        drawCaption(in: &frame)
        if picture.isSelected { drawFrame(in: &frame) }
    }

    private func place(_ image: TerminalPicture, in frame: inout Frame) {
        frame.place(
            image,
            row: area.row + max(area.rows - image.rows, 0) / 2,
            column: area.column + max(area.columns - image.columns, 0) / 2
        )
    }

    private func drawMark(_ text: String, _ style: TextStyle, in frame: inout Frame) {
        drawOutline(.dim, in: &frame)
        let room = max(area.columns - 2, 1)
        let lines = TextLines.wrap(text, columns: room).prefix(max(area.rows - 2, 1))
        for (row, line) in lines.enumerated() {
            frame.write(
                line,
                row: area.row + (area.rows - lines.count) / 2 + row,
                column: area.column + max(area.columns - TextWidth.columns(of: line), 0) / 2,
                columns: area.columns,
                style: style
            )
        }
    }

    private func drawOutline(_ style: TextStyle, in frame: inout Frame) {
        guard area.rows > 2, area.columns > 2 else { return }
        let line = String(repeating: "─", count: area.columns - 2)
        frame.write("╭\(line)╮", row: area.row, column: area.column, style: style)
        for row in area.row + 1..<area.row + area.rows - 1 {
            frame.write("│", row: row, column: area.column, style: style)
            frame.write("│", row: row, column: area.column + area.columns - 1, style: style)
        }
        frame.write("╰\(line)╯", row: area.row + area.rows - 1, column: area.column, style: style)
    }

    private func drawCaption(in frame: inout Frame) {
        guard let caption = picture.caption else { return }
        let text = TextWidth.fitted(caption, columns: area.columns)
        let row = area.row + area.rows
        let style: TextStyle = picture.isSelected ? Self.selection : .plain
        if picture.isSelected {
            frame.fill(CellArea(row: row, column: area.column, rows: 1, columns: area.columns), style: style)
        }
        let column = area.column + (area.columns - TextWidth.columns(of: text)) / 2
        frame.write(text, row: row, column: column, style: style)
    }

    /// Draws the frame around the picture, without covering it; the caption is the lower side.
    private func drawFrame(in frame: inout Frame) {
        let style = TextStyle(foreground: .cyan)
        let line = String(repeating: "▄", count: area.columns)
        frame.write("▗\(line)▖", row: area.row - 1, column: area.column - 1, style: style)
        for row in area.row..<area.row + area.rows + 1 {
            frame.write("▐", row: row, column: area.column - 1, style: style)
            frame.write("▌", row: row, column: area.column + area.columns, style: style)
        }
    }

    private static let selection = TextStyle(foreground: .black, background: .cyan)

    /// Returns the stable code of an error.
    private static func code(of error: any Error) -> String {
        switch error {
        case let error as CalotypeError: error.code.rawValue
        default: "failed"
        }
    }
}
