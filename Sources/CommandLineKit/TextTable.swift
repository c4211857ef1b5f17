/// Rows of text in columns, for people: as wide as the terminal at most, or as wide as the text for a file.
///
/// What it is given is made harmless for terminals by ``TerminalText``.
package struct TextTable: Sendable {
    /// A column: its title, and how its cells stand and give way.
    package struct Column: Sendable {
        package enum Alignment: Sendable { case left, right }

        let title: String
        let alignment: Alignment
        /// The columns that it keeps when there is little room; `nil` for one that is never cut.
        let leastWidth: Int?

        /// Creates a column; one with a `leastWidth` is cut down to it, with an ellipsis, where the table is too wide.
        package init(_ title: String, _ alignment: Alignment = .left, leastWidth: Int? = nil) {
            self.title = title
            self.alignment = alignment
            self.leastWidth = leastWidth
        }
    }

    private static let gap = "  "

    private let columns: [Column]
    private var rows: [[String]] = []

    package init(_ columns: [Column]) {
        self.columns = columns
    }

    /// The rows below the titles.
    package var count: Int { rows.count }

    /// Adds a row; cells that are missing are empty.
    package mutating func add(_ cells: [String]) {
        let blanks = Array(repeating: "", count: max(0, columns.count - cells.count))
        rows.append(cells.prefix(columns.count).map(TerminalText.line) + blanks)
    }

    /// Lays out the titles and the rows.
    ///
    /// - Parameter width: the room there is; `nil` for as much as the text wants.
    /// - Returns: the titles and then the rows, a line each and without its end, none wider than `width`.
    package func lines(width: Int? = nil) -> [String] {
        let widths = widths(within: width)
        return ([columns.map(\.title)] + rows).map { cells in
            let line = line(cells, widths)
            return width.map { TextWidth.fitted(line, columns: $0) } ?? line
        }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            let text = TextWidth.fitted(cell, columns: widths[index])
            let blanks = String(repeating: " ", count: max(0, widths[index] - TextWidth.columns(of: text)))
            line += columns[index].alignment == .right ? blanks + text : text + blanks
            line += Self.gap
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// The columns' widths: those of their widest cells, the widest that may give way cut first.
    private func widths(within limit: Int?) -> [Int] {
        var widths = columns.indices.map { index in
            ([columns[index].title] + rows.map { $0[index] }).map { TextWidth.columns(of: $0) }.max() ?? 0
        }
        guard let limit else { return widths }
        let gaps = Self.gap.count * max(0, columns.count - 1)
        var excess = widths.reduce(gaps, +) - limit
        while excess > 0 {
            let yielding = columns.indices.filter { widths[$0] > columns[$0].leastWidth ?? .max }
            guard let widest = yielding.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }
}
