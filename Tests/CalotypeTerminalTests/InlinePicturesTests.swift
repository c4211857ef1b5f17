import CalotypeCommandLineKit
import Testing

@testable import CalotypeTerminal

struct InlinePicturesTests {
    private let screen = ScreenSize(columns: 20, rows: 8)
    private var inline: InlinePictures { InlinePictures(TerminalOutput(descriptor: -1), screen: screen) }

    @Test func `a picture is drawn above the cursor, which comes back`() throws {
        var terminal = EmulatedTerminal(columns: 20, rows: 8)
        terminal.show(Array("\u{1B}[6;1H".utf8))
        let picture = TerminalPicture(symbols: ["ab", "cd"])
        terminal.show(try #require(inline.bytes(picture, linesAbove: 4, column: 3)))
        #expect(terminal.text[1].hasPrefix("   ab "))
        #expect(terminal.text[2].hasPrefix("   cd "))
        #expect(terminal.cursor == .init(row: 5, column: 0))
        #expect(terminal.unknown == [])
    }

    @Test(arguments: [SampleFrames.Kind.sixel, .kitty])
    func `pixels too`(kind: SampleFrames.Kind) throws {
        var terminal = EmulatedTerminal(columns: 20, rows: 8)
        terminal.show(Array("\u{1B}[8;1H".utf8))
        let picture = SampleFrames.picture(kind, columns: 3, rows: 2, number: 1)
        terminal.show(try #require(inline.bytes(picture, linesAbove: 7, column: 17)))
        #expect(terminal.cursor == .init(row: 7, column: 0))
        #expect(terminal.unknown == [])
        if kind == .kitty { #expect(Array(terminal.places.values) == [.init(row: 0, column: 17)]) }
        if kind == .sixel { #expect(terminal.cells[17].sixel != nil && terminal.cells[39].sixel != nil) }
    }

    @Test func `what has left the screen, or finds no room, is left out`() {
        let picture = TerminalPicture(symbols: ["ab", "cd"])
        #expect(inline.bytes(picture, linesAbove: 8, column: 0) == nil)
        #expect(inline.bytes(picture, linesAbove: 1, column: 0) == nil)
        #expect(inline.bytes(picture, linesAbove: 4, column: 19) == nil)
        #expect(inline.bytes(picture, linesAbove: 4, column: -1) == nil)
    }
}
