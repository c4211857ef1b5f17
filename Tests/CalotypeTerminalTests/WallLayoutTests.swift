import Testing

@testable import CalotypeTerminal

struct WallLayoutTests {
    @Test(arguments: [
        (80, 24, 4, 2, 18, 9), (120, 40, 7, 4, 15, 7), (200, 60, 11, 6, 16, 7), (30, 10, 2, 1, 13, 7),
        (8, 5, 1, 1, 6, 2),
    ])
    func `cells come near the wanted size and fill the screen`(
        _ screen: (columns: Int, rows: Int, across: Int, down: Int, pictureColumns: Int, pictureRows: Int)
    ) {
        let layout = WallLayout(ScreenSize(columns: screen.columns, rows: screen.rows), cell: .standard)
        #expect(layout.columns == screen.across)
        #expect(layout.rows == screen.down)
        #expect(layout.pictureColumns == screen.pictureColumns)
        #expect(layout.pictureRows == screen.pictureRows)
    }

    @Test(arguments: [(7, 24), (80, 4), (1, 1), (8, 4)])
    func `a screen without room for a cell says so`(_ screen: (columns: Int, rows: Int)) {
        let layout = WallLayout(ScreenSize(columns: screen.columns, rows: screen.rows), cell: .standard)
        #expect(layout.isTooSmall)
        #expect(layout.capacity == 0)
    }

    @Test(arguments: [
        WallCellSize.standard, WallCellSize(columns: 0, rows: 0), WallCellSize(columns: 999, rows: 999),
    ])
    func `on every screen all cells are within the body and apart`(_ cell: WallCellSize) {
        for columns in 1...90 {
            for rows in 1...40 {
                expectApart(WallLayout(ScreenSize(columns: columns, rows: rows), cell: cell))
            }
        }
    }

    private func expectApart(_ layout: WallLayout) {
        var taken = Set<Int>()
        for place in 0..<layout.capacity {
            let area = layout.pictureArea(row: place / layout.columns, column: place % layout.columns)
            let rows = area.row - 1..<area.row + area.rows + 1
            let columns = area.column - 1..<area.column + area.columns + 1
            #expect(area.rows >= 2 && area.columns >= 6)
            #expect(
                layout.bands.body.contains(rows.lowerBound) && layout.bands.body.contains(rows.upperBound - 1)
            )
            #expect(columns.lowerBound >= 0 && columns.upperBound <= layout.bands.size.columns)
            for row in rows {
                for column in columns { #expect(taken.insert(row * 1000 + column).inserted) }
            }
        }
    }
}
