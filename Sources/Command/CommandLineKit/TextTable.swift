/// A table of text for people, at most as wide as the terminal, or as wide as the text in a file.
///
/// ``TerminalText`` makes the text safe for terminals.
package struct TextTable: Sendable {
    /// A column: its title, its alignment, and how it shrinks.
    package struct Column: Sendable {
        package enum Alignment: Sendable { case left, right }

        let title: String
        let alignment: Alignment
        /// Minimum width if space is short; `nil` for a column that is never truncated.
        let leastWidth: Int?
        /// Whether the column may be left out if the table is still too wide.
        let isDispensable: Bool

        /// Creates a column.
        ///
        /// - Parameters:
        ///   - title: The title above the column.
        ///   - alignment: The alignment of its cells.
        ///   - leastWidth: The width to which cells are truncated, with an ellipsis, if the table is too
        ///     wide; `nil` for never.
        ///   - isDispensable: Whether the column may be left out if that is not enough; the leftmost such
        ///     column goes first.
        package init(
            _ title: String,
            _ alignment: Alignment = .left,
            leastWidth: Int? = nil,
            isDispensable: Bool = false
        ) {
            self.title = title
            self.alignment = alignment
            self.leastWidth = leastWidth
            self.isDispensable = isDispensable
        }
    }

    private static let gap = "  "

    private let columns: [Column]
    private var rows: [[String]] = []

    package init(_ columns: [Column]) {
        self.columns = columns
    }

    /// The number of rows below the titles.
    package var count: Int { rows.count }

    /// Adds a row; missing cells are empty.
    package mutating func add(_ cells: [String]) {
        let blanks = Array(repeating: "", count: max(0, columns.count - cells.count))
        rows.append(cells.prefix(columns.count).map(TerminalText.line) + blanks)
    }

    /// Lays out the titles and the rows.
    ///
    /// - Parameter width: The available width; `nil` for as much as the text needs.
    /// - Returns: The titles and the rows, one line each without line ends, none wider than `width`.
    package func lines(width: Int? = nil) -> [String] {
        let titlesAndRows = [columns.map(\.title)] + rows
        guard let width else {
            let widths = naturalWidths
            return titlesAndRows.map { line($0, of: columns.indices.map { ($0, widths[$0]) }) }
        }
        let layout = layout(within: width)
        return titlesAndRows.map { TextWidth.fitted(line($0, of: layout), columns: width) }
    }

    private func line(_ cells: [String], of layout: [(column: Int, width: Int)]) -> String {
        var line = ""
        for (column, width) in layout {
            let text = TextWidth.fitted(cells[column], columns: width)
            let blanks = String(repeating: " ", count: max(0, width - TextWidth.columns(of: text)))
            line += columns[column].alignment == .right ? blanks + text : text + blanks
            line += Self.gap
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// The visible columns and their widths.
    private func layout(within limit: Int) -> [(column: Int, width: Int)] {
        let natural = naturalWidths
        var shown = Array(columns.indices)
        while room(for: shown.map { min(natural[$0], columns[$0].leastWidth ?? .max) }) > limit,
            let dispensable = shown.firstIndex(where: { columns[$0].isDispensable })
        {
            shown.remove(at: dispensable)
        }
        return shrunk(shown.map { ($0, natural[$0]) }, to: limit)
    }

    /// Returns the layout with columns truncated, starting with the widest one that may shrink.
    private func shrunk(_ layout: [(column: Int, width: Int)], to limit: Int) -> [(column: Int, width: Int)] {
        var layout = layout
        while room(for: layout.map(\.width)) > limit {
            let yielding = layout.indices.filter { index in
                layout[index].width > columns[layout[index].column].leastWidth ?? .max
            }
            guard let widest = yielding.max(by: { layout[$0].width < layout[$1].width }) else { break }
            layout[widest].width -= 1
        }
        return layout
    }

    private func room(for widths: [Int]) -> Int {
        widths.reduce(Self.gap.count * max(0, widths.count - 1), +)
    }

    private var naturalWidths: [Int] {
        columns.indices.map { index in
            ([columns[index].title] + rows.map { $0[index] }).map { TextWidth.columns(of: $0) }.max() ?? 0
        }
    }
}
