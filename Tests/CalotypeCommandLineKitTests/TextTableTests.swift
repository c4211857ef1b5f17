import CalotypeCommandLineKit
import Testing

struct TextTableTests {
    private static func table() -> TextTable {
        var table = TextTable([
            .init("#", .right), .init("Name", leastWidth: 6), .init("Developer", leastWidth: 6),
            .init("Price", .right),
        ])
        table.add(["1", "Camera", "Example Ltd", "Free"])
        table.add(["10", "日本語のカメラ", "e", "€ 0,99"])
        return table
    }

    @Test func `columns are as wide as their widest cells, and lines end without blanks`() {
        #expect(
            Self.table().lines() == [
                " #  Name            Developer     Price",
                " 1  Camera          Example Ltd    Free",
                "10  日本語のカメラ  e            € 0,99",
            ]
        )
    }

    @Test(arguments: 1...45)
    func `no line is wider than the terminal`(_ width: Int) {
        for line in Self.table().lines(width: width) {
            #expect(TextWidth.columns(of: line) <= width, "\(line)")
        }
    }

    @Test func `the widest column that may give way is cut first, with an ellipsis`() {
        #expect(
            Self.table().lines(width: 35) == [
                " #  Name        Developer     Price",
                " 1  Camera      Example Ltd    Free",
                "10  日本語の…   e            € 0,99",
            ]
        )
    }

    @Test func `columns that can be done without go where cutting does not suffice`() {
        var table = TextTable([
            .init("Name", leastWidth: 6), .init("Developer", leastWidth: 5, isDispensable: true),
            .init("Price", .right, isDispensable: true), .init("ID", .right),
        ])
        table.add(["Camera for all", "Example Ltd", "Free", "1234567890"])
        #expect(table.lines(width: 32)[1] == "Camer…  Exam…   Free  1234567890")
        #expect(table.lines(width: 31)[1] == "Camera for…    Free  1234567890")
        #expect(table.lines(width: 24)[1] == "Camera for…   1234567890")
        #expect(table.lines(width: 10)[1] == "Camer…  1…")
    }

    @Test func `cells that are missing are empty, and those too many are left out`() {
        var table = TextTable([.init("A"), .init("B")])
        table.add(["a"])
        table.add(["a", "b", "c"])
        #expect(table.lines() == ["A  B", "a", "a  b"])
    }

    @Test func `nothing that a terminal obeys comes through`() {
        var table = TextTable([.init("Name"), .init("Price")])
        table.add(["a\u{1B}[2Jb\r\nc", "\u{9B}1m"])
        #expect(table.lines()[1] == "a�[2Jb  c  �1m")
    }
}
