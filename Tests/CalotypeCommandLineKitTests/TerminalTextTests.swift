import CalotypeCommandLineKit
import Testing

struct TerminalTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("Crème Brûlée 日本 👩‍👩‍👧", "Crème Brûlée 日本 👩‍👩‍👧"), ("a\tb\nc\r\nd", "a b c  d"),
        ("\u{1B}]0;title\u{7}", "�]0;title�"), ("\u{1B}Pq\u{1B}\\", "�Pq�\\"),
        ("a\u{0}\u{7F}\u{85}\u{9B}b", "a�� �b"),
        ("a\u{202E}txt.exe\u{202C}", "a�txt.exe�"), ("\u{2066}x\u{2069}", "�x�"), ("a\u{2028}b", "a b"),
        ("שלום\u{200F}!", "שלום\u{200F}!"),
    ])
    func `control characters and changes of direction become visible`(_ text: String, _ line: String) {
        #expect(TerminalText.line(text) == line)
    }

    @Test func `text of several lines is cut at any kind of line end`() {
        #expect(TerminalText.lines("a\n\nb\r\nc\u{2028}d\u{1B}") == ["a", "", "b", "c", "d�"])
    }
}
