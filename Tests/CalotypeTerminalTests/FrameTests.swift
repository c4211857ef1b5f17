import CalotypeTerminal
import Testing

struct FrameTests {
    @Test func `text ends at the edge of the screen`() {
        var frame = Frame(ScreenSize(columns: 4, rows: 1))
        #expect(frame.write("héllo", row: 0, column: 1) == 3)
        #expect(frame.write("a", row: 1, column: 0) == 0)
    }
}
