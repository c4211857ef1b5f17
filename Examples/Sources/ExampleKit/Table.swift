/// A table of text whose columns are as wide as their widest cell.
package struct Table {
    private var rows: [[String]]

    /// Creates a table with these headings.
    package init(_ headings: String...) {
        rows = [headings, headings.map { String(repeating: "-", count: $0.count) }]
    }

    /// Adds a row with one cell for each column.
    package mutating func add(_ cells: String...) {
        rows.append(cells)
    }

    /// Prints the table to standard output.
    package func print() {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        for row in rows {
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            Swift.print("  " + cells.dropLast().joined(separator: "  ") + "  \(row.last ?? "")")
        }
    }
}
