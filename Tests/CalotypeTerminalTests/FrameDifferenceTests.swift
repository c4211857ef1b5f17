import CalotypeCore
import Testing

@testable import CalotypeTerminal

struct FrameDifferenceTests {
    private static let size = SampleFrames.size

    private func terminal() -> EmulatedTerminal {
        EmulatedTerminal(columns: Self.size.columns, rows: Self.size.rows)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the difference from any frame to any other shows the other`(seed: UInt64) {
        var samples = SampleFrames(seed: seed)
        var shown = terminal()
        var last: Frame?
        for _ in 0..<40 {
            let frame = samples.next(after: last)
            shown.show(FrameDifference.bytes(from: last, to: frame))
            var fresh = terminal()
            fresh.show(FrameDifference.bytes(from: nil, to: frame))
            #expect(shown.cells == fresh.cells)
            #expect(shown.places == fresh.places)
            #expect(Set(shown.images.keys) == Set(fresh.images.keys))
            #expect(shown.isCursorShown == (frame.cursor != nil))
            if let cursor = frame.cursor {
                #expect(shown.cursor == .init(row: cursor.row, column: cursor.column))
            }
            #expect(shown.unknown == [])
            #expect(!shown.isUpdating)
            last = frame
        }
    }

    @Test(arguments: 100..<115 as Range<UInt64>)
    func `text and pictures are where the frame has them`(seed: UInt64) {
        var samples = SampleFrames(seed: seed, kinds: [.sixel, .kitty])
        var shown = terminal()
        var last: Frame?
        for _ in 0..<20 {
            let frame = samples.next(after: last)
            shown.show(FrameDifference.bytes(from: last, to: frame))
            expect(shown, shows: frame)
            last = frame
        }
    }

    private func expect(_ shown: EmulatedTerminal, shows frame: Frame) {
        let areas = frame.pictureAreas
        for row in 0..<Self.size.rows {
            for column in 0..<Self.size.columns where !areas.contains(where: { $0.touches(row, column) }) {
                let cell = frame.cells[row * Self.size.columns + column]
                let text = cell.isCovered ? "" : String(cell.character)
                #expect(shown.cells[row * Self.size.columns + column].text == text)
            }
        }
        var sixels: Set<EmulatedTerminal.Spot> = []
        for placement in frame.placements where placement.kitty == nil {
            sixels.formUnion(placement.area.spots)
        }
        let seen = Set(samples(shown))
        #expect(seen == sixels)
        let kitty = frame.placements.filter { $0.kitty != nil }
        #expect(shown.places.count == kitty.count)
        #expect(
            Set(shown.places.values)
                == Set(kitty.map { EmulatedTerminal.Spot(row: $0.row, column: $0.column) })
        )
    }

    private func samples(_ shown: EmulatedTerminal) -> [EmulatedTerminal.Spot] {
        shown.cells.indices.filter { shown.cells[$0].sixel != nil }.map {
            .init(row: $0 / Self.size.columns, column: $0 % Self.size.columns)
        }
    }

    @Test func `nothing is written where nothing changed`() {
        var samples = SampleFrames(seed: 7)
        var frame = samples.next(after: nil)
        frame.place(samples.pictures[0], row: 0, column: 0)
        #expect(FrameDifference.bytes(from: frame, to: frame) == [])
    }

    @Test func `one changed letter costs one letter`() {
        var old = Frame(Self.size)
        old.write("loads 12", row: 8, column: 0)
        var new = old
        new.write("3", row: 8, column: 7)
        let bytes = FrameDifference.bytes(from: old, to: new)
        #expect(String(decoding: bytes, as: UTF8.self) == "\u{1B}[?2026h\u{1B}[9;8H3\u{1B}[?2026l")
    }

    @Test func `a picture of kitty's that moves is not sent again`() {
        let picture = SampleFrames.picture(.kitty, columns: 3, rows: 2, number: 1)
        var old = Frame(Self.size)
        old.place(picture, row: 4, column: 0)
        var new = Frame(Self.size)
        new.place(picture, row: 2, column: 0)
        #expect(FrameDifference.bytes(from: nil, to: old).count > 4_000)
        #expect(FrameDifference.bytes(from: old, to: new).count < 250)
    }

    @Test func `a screen of which nothing is known is wiped`() {
        var frame = Frame(Self.size)
        frame.write("x", row: 1, column: 1)
        let kitty = SampleFrames.picture(.kitty, columns: 3, rows: 2, number: 1)
        frame.place(kitty, row: 3, column: 1)
        var shown = terminal()
        shown.show(FrameDifference.bytes(from: nil, to: frame))
        shown.show(Array("\u{1B}[1;1Hgarbage".utf8))
        shown.show(FrameDifference.bytes(from: frame, to: frame, isAnew: true))
        #expect(shown.text[0].allSatisfy { $0 == " " })
        #expect(shown.text[1].hasPrefix(" x "))
        #expect(shown.places.count == 1)
        #expect(shown.unknown == [])
    }

    @Test func `a frame for a larger screen is cut, wide characters whole`() {
        var large = Frame(ScreenSize(columns: 30, rows: 12))
        large.write("界", row: 0, column: Self.size.columns - 1)
        large.write("end", row: 11, column: 0)
        large.place(TerminalPicture(symbols: ["ab"]), row: 0, column: Self.size.columns - 1)
        let fitted = large.fitted(to: Self.size)
        var shown = terminal()
        shown.show(FrameDifference.bytes(from: nil, to: fitted))
        #expect(shown.text.allSatisfy { $0.allSatisfy { $0 == " " } })
        #expect(shown.unknown == [])
    }
}

extension CellArea {
    func touches(_ row: Int, _ column: Int) -> Bool {
        // A wide character that reaches below a picture is blank.
        overlaps(CellArea(row: row, column: column - 2, rows: 1, columns: 5))
    }

    var spots: Set<EmulatedTerminal.Spot> {
        var spots: Set<EmulatedTerminal.Spot> = []
        for row in row..<row + rows {
            for column in column..<column + columns { spots.insert(.init(row: row, column: column)) }
        }
        return spots
    }
}
