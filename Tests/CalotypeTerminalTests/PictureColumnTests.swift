import CalotypeTerminal
import Testing

struct PictureColumnTests {
    @Test(arguments: [
        (20, 62, 3), (20, 61, 2), (20, 42, 2), (20, 41, 1), (20, 22, 1), (20, 10, 1), (1, 24, 3), (1, 1, 1),
        (200, 50, 1),
    ])
    func `rows are as high as the table allows that fits the screen`(_ rows: Int, _ lines: Int, _ height: Int)
    {
        let column = PictureColumn(rows: rows, on: ScreenSize(columns: 80, rows: lines))
        #expect(column.rowHeight == height)
        #expect(column.pictureColumns == 2 * height)
    }

    @Test func `pictures are square whatever the cells are`() {
        let screen = ScreenSize(columns: 80, rows: 24, cellWidthPixels: 10, cellHeightPixels: 24)
        #expect(PictureColumn(rows: 4, on: screen).pictureColumns == 7)
    }

    @Test func `text stands in the middle line of its row`() {
        let three = PictureColumn(rows: 2, on: ScreenSize(columns: 80, rows: 24))
        #expect(
            three.lines(of: ["#", "1", "2"]) == ["       #", "", "       1", "", "", "       2", ""]
        )
        let one = PictureColumn(rows: 2, on: ScreenSize(columns: 80, rows: 4))
        #expect(one.lines(of: ["#", "1", "2"]) == ["   #", "   1", "   2"])
    }

    @Test(arguments: [(3, 24, 0..<3), (20, 22, 0..<20), (20, 20, 1..<20), (20, 10, 11..<20), (1, 1, 1..<1)])
    func `rows that have been scrolled away are not in sight`(_ rows: Int, _ lines: Int, _ sight: Range<Int>)
    {
        let screen = ScreenSize(columns: 80, rows: lines)
        let column = PictureColumn(rows: rows, on: screen)
        #expect(column.rowsInSight(on: screen) == sight)
        #expect(sight.allSatisfy { column.linesAboveCursor(ofRow: $0) < lines })
    }

    @Test func `each picture begins at the first line of its row`() {
        let column = PictureColumn(rows: 3, on: ScreenSize(columns: 80, rows: 24))
        let lines = column.lines(of: ["#", "a", "b", "c"])
        for (index, text) in ["a", "b", "c"].enumerated() {
            let line = lines.count - column.linesAboveCursor(ofRow: index)
            #expect(lines[line..<(line + 3)].contains { $0.hasSuffix(text) })
        }
    }
}
