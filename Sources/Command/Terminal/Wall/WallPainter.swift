import Calotype
import CalotypeCommandLineKit

/// Draws a wall as a frame, from the machine, the states of the slots, and the counters.
struct WallPainter {
    let machine: WallMachine
    /// The states of the pictures; a picture without a state shows its placeholder.
    let states: [WallPlace: SlotState<TerminalPicture>]
    let figures: WallTally.Figures

    private var bands: ScreenBands { machine.layout.bands }

    func frame() -> Frame {
        var frame = Frame(machine.size)
        if machine.layout.isTooSmall {
            drawMessage(
                "This screen is too small for a wall. Make it larger, or press q to quit.",
                in: &frame
            )
            return frame
        }
        drawTitle(in: &frame)
        if case .help(let line) = machine.overlay {
            drawHelp(from: line, in: &frame)
        } else {
            drawPage(in: &frame)
        }
        drawBottom(in: &frame)
        return frame
    }

    private func drawPage(in frame: inout Frame) {
        if machine.page == .wall, machine.content.entries.isEmpty {
            let style: TextStyle = machine.content.state == .failed ? TextStyle(foreground: .red) : .plain
            return drawMessage(machine.content.message, style, in: &frame)
        }
        for picture in machine.picturesInSight {
            TilePainter(picture: picture, state: states[picture.place] ?? .placeholder).draw(in: &frame)
        }
        if case .app(let app) = machine.page { drawText(of: app, in: &frame) }
    }

    private func drawTitle(in frame: inout Frame) {
        guard let row = bands.titleRow else { return }
        let title = TextWidth.fitted(machine.title, columns: max(machine.size.columns - 2, 1))
        frame.write(title, row: row, column: 1, style: .bold)
    }

    private func drawText(of app: AppStoreScreen, in frame: inout Frame) {
        let area = app.layout.text
        for (row, line) in app.lines.dropFirst(app.firstLine).prefix(area.rows).enumerated() {
            frame.write(
                line.text,
                row: area.row + row,
                column: area.column,
                columns: area.columns,
                style: line.style
            )
        }
        let isCut = app.firstLine + area.rows < app.lines.count
        if isCut {
            frame.write("↓", row: area.row + area.rows - 1, column: machine.size.columns - 1, style: .dim)
        }
        if app.firstLine > 0 {
            frame.write("↑", row: area.row, column: machine.size.columns - 1, style: .dim)
        }
    }

    private func drawHelp(from first: Int, in frame: inout Frame) {
        let keys = WallHelp.lines.map { TextWidth.columns(of: $0.keys) }.max() ?? 0
        for (row, line) in WallHelp.lines.dropFirst(first).prefix(bands.body.count).enumerated() {
            let row = bands.body.lowerBound + row
            frame.write(line.keys, row: row, column: 1, columns: keys, style: .bold)
            frame.write(line.meaning, row: row, column: keys + 3)
        }
    }

    /// Draws text in the middle of the body, as many lines as fit.
    private func drawMessage(_ text: String, _ style: TextStyle = .plain, in frame: inout Frame) {
        let columns = machine.size.columns < 24 ? machine.size.columns : min(machine.size.columns - 4, 64)
        let rows = max(bands.body.count, 1)
        let lines = TextLines.wrap(text, columns: columns).prefix(rows)
        for (row, line) in lines.enumerated() {
            let column = max((machine.size.columns - TextWidth.columns(of: line)) / 2, 0)
            frame.write(
                line,
                row: bands.body.lowerBound + (rows - lines.count) / 2 + row,
                column: column,
                style: style
            )
        }
    }
}

extension WallPainter {
    private func drawBottom(in frame: inout Frame) {
        if case .prompt(let line) = machine.overlay {
            drawPrompt(line, in: &frame)
        } else {
            let text = WallStatusText(machine, figures).text(columns: machine.size.columns)
            frame.fill(
                CellArea(row: bands.statusRow, column: 0, rows: 1, columns: machine.size.columns),
                style: .reversed
            )
            frame.write(text, row: bands.statusRow, column: 0, style: .reversed)
        }
    }

    private func drawPrompt(_ line: EditLine, in frame: inout Frame) {
        let label = machine.size.columns >= 24 ? "Search apps: " : "/"
        let start = frame.write(label, row: bands.statusRow, column: 0, style: .bold)
        let text = line.end(columns: machine.size.columns - start - 1)
        let end = start + frame.write(text, row: bands.statusRow, column: start)
        frame.cursor = (bands.statusRow, min(end, machine.size.columns - 1))
        if line.text.isEmpty {
            frame.write(
                "Enter searches, Escape goes back",
                row: bands.statusRow,
                column: start + 1,
                style: .dim
            )
        }
    }
}
