import CalotypeCommandLineKit
import Testing

struct TextWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("界", 2), ("ｱ", 1), ("Ａ", 2), ("😀", 2), ("⚡", 2),
        ("★", 1),
        ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("\t\n\u{1B}", 0), ("\u{200B}\u{FEFF}", 0), ("─", 1), ("한글", 4), ("नि", 2),
        ("❤", 1), ("⭐", 2), ("a\u{200F}b", 2), ("ﾊﾝ", 2),
    ])
    func `text takes as many columns as terminals give it`(text: String, columns: Int) {
        #expect(TextWidth.columns(of: text) == columns)
    }

    @Test func `a beginning that fits is cut between characters`() {
        #expect(TextWidth.prefix(of: "a界b", columns: 2) == "a")
        #expect(TextWidth.prefix(of: "a界b", columns: 3) == "a界")
    }

    @Test func `what does not fit ends in an ellipsis`() {
        #expect(TextWidth.fitted("a camera", columns: 8) == "a camera")
        #expect(TextWidth.fitted("a camera", columns: 5) == "a ca…")
        #expect(TextWidth.fitted("a camera", columns: 3) == "a…")
        #expect(TextWidth.fitted("日本語", columns: 4) == "日…")
        #expect(TextWidth.fitted("ab", columns: 0).isEmpty)
    }
}
