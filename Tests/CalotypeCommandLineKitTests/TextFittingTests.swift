import CalotypeCommandLineKit
import Testing

struct TextFittingTests {
    @Test func `what does not fit ends in an ellipsis`() {
        #expect(TextWidth.fitted("a camera", columns: 8) == "a camera")
        #expect(TextWidth.fitted("a camera", columns: 5) == "a ca…")
        #expect(TextWidth.fitted("a camera", columns: 3) == "a…")
        #expect(TextWidth.fitted("日本語", columns: 4) == "日…")
        #expect(TextWidth.fitted("ab", columns: 0).isEmpty)
    }
}
