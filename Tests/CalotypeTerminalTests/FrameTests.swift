import Testing

@testable import CalotypeTerminal

struct FrameTests {
    private func line(_ text: String, columns: Int = 12, at column: Int = 0) -> String {
        var frame = Frame(ScreenSize(columns: columns, rows: 1))
        frame.write(text, row: 0, column: column)
        return frame.plainText
    }

    @Test func `text ends at the edge of the screen`() {
        var frame = Frame(ScreenSize(columns: 4, rows: 1))
        #expect(frame.write("héllo", row: 0, column: 1) == 3)
        #expect(frame.write("a", row: 1, column: 0) == 0)
        #expect(frame.write("a", row: 0, column: 4) == 0)
        #expect(frame.write("abc", row: 0, column: 0, columns: 2) == 2)
        #expect(frame.plainText == "abél")
    }

    @Test func `a wide character is cut whole`() {
        var frame = Frame(ScreenSize(columns: 5, rows: 1))
        #expect(frame.write("a界面", row: 0, column: 0) == 5)
        #expect(frame.write("a界面", row: 0, column: 1) == 3)
        #expect(frame.plainText == "aa界")
        frame.write("x", row: 0, column: 3)
        #expect(frame.plainText == "aa x")
    }

    @Test func `wide characters over the halves of others leave blanks`() {
        var frame = Frame(ScreenSize(columns: 8, rows: 1))
        frame.write("界界界", row: 0, column: 0)
        frame.write("面", row: 0, column: 1)
        #expect(frame.plainText == " 面 界")
    }

    @Test(arguments: [
        ("a\u{1B}[31mb", "a[31mb"), ("a\u{7}\tb\n", "ab"), ("a\u{200B}\u{202E}b", "ab"), ("\u{9B}31m", "31m"),
        ("👩‍👩‍👧!", "👩!"), ("👍🏽!", "👍!"), ("❤️!", "❤!"), ("e\u{301}", "e\u{301}"),
    ])
    func `text from outside cannot move the cursor or hide`(text: String, shown: String) {
        #expect(line(text) == shown)
    }

    @Test func `a character carries a bounded number of marks`() {
        var frame = Frame(ScreenSize(columns: 4, rows: 1))
        frame.write("e" + String(repeating: "\u{301}", count: 1_000), row: 0, column: 0)
        #expect(frame.cells[0].character.unicodeScalars.count <= 6)
    }

    @Test func `a picture over another takes its place, and one that does not fit is left out`() {
        var frame = Frame(ScreenSize(columns: 10, rows: 4))
        let picture = TerminalPicture(symbols: ["aaa", "aaa"])
        frame.place(picture, row: 0, column: 0)
        frame.place(picture, row: 1, column: 2)
        frame.place(picture, row: 3, column: 0)
        frame.place(picture, row: 0, column: 8)
        frame.place(picture, row: -1, column: 0)
        #expect(frame.pictureAreas == [CellArea(row: 1, column: 2, rows: 2, columns: 3)])
    }

    @Test func `an area that is not on the screen is not filled`() {
        var frame = Frame(ScreenSize(columns: 3, rows: 2))
        frame.write("abc", row: 1, column: 0)
        frame.fill(CellArea(row: 1, column: 2, rows: 9, columns: 9), style: .reversed)
        frame.fill(CellArea(row: 5, column: -4, rows: 1, columns: 2), style: .plain)
        frame.fill(CellArea(row: -3, column: 0, rows: 2, columns: 3), style: .plain)
        #expect(frame.plainText == "\nab")
        #expect(frame.cells[5].style == .reversed)
    }
}
