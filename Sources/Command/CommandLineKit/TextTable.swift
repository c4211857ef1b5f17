/// Rows of text in columns, for people: as wide as the terminal at most, or as wide as the text for a file.
///
/// What it is given is made harmless for terminals by ``TerminalText``.
package struct TextTable: Sendable {
    /// A column: its title, and how its cells stand and give way.
    package struct Column: Sendable {
        package enum Alignment: Sendable { case left, right }

        let title: String
        let alignment: Alignment
        /// The room that it keeps when there is little; `nil` for one that is never cut.
        let leastWidth: Int?
        /// Whether it is left out where the table is too wide even so.
        let isDispensable: Bool

        /// Creates a column.
        ///
        /// - Parameters:
        ///   - title: what stands above it.
        ///   - alignment: where its texts stand.
        ///   - leastWidth: to what it is cut, with an ellipsis, where the table is too wide; never where `nil`.
        ///   - isDispensable: whether it is left out where that does not suffice; the leftmost of such columns goes first.
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

    /// The columns that are shown, and their widths.
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

    /// The layout with the widest of those columns cut first that may be.
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
