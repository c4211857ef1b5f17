import CalotypeCore
import TaskFlow

@testable import CalotypeTerminal

/// Frames of random text and pictures, the same for each seed.
struct SampleFrames {
    static let size = ScreenSize(columns: 24, rows: 9, cellWidthPixels: 10, cellHeightPixels: 20)
    private static let words = ["photo", "é", "界面", "e\u{301}a", "😀", "👩‍👩‍👧", "🇩🇪x", "  ", "a\tb", "─┐", "नि"]
    private static let styles: [TextStyle] = [
        .plain, .plain, .bold, .dim, .reversed, TextStyle(foreground: .red, background: .blue),
    ]

    let pictures: [TerminalPicture]
    private var generator: SplitMix64

    init(seed: UInt64, kinds: Set<Kind> = Set(Kind.allCases)) {
        generator = SplitMix64(seed: seed)
        pictures = (0..<6).map { number in
            let kind = Kind.allCases.filter(kinds.contains)[number % kinds.count]
            return Self.picture(kind, columns: 2 + number % 3, rows: 1 + number % 2, number: number)
        }
    }

    enum Kind: CaseIterable {
        case symbols, sixel, kitty
    }

    static func picture(_ kind: Kind, columns: Int, rows: Int, number: Int) -> TerminalPicture {
        switch kind {
        case .symbols:
            return TerminalPicture(
                symbols: Array(repeating: String(repeating: "\(number)", count: columns), count: rows)
            )
        case .sixel:
            let text = "\u{1B}P0;1;0q\"1;1;\(columns * 10);\(rows * 20)#\(number)~\u{1B}\\"
            return TerminalPicture(columns: columns, rows: rows, content: .sixel(Array(text.utf8)))
        case .kitty:
            let bitmap = Bitmap(
                size: PixelSize(width: 40, height: 40),
                rgba: Array(repeating: UInt8(number), count: 6_400)
            )
            return TerminalPicture(columns: columns, rows: rows, content: .kitty(KittyImage(bitmap)))
        }
    }

    /// A frame that may have a little or much in common with `last`.
    mutating func next(after last: Frame?) -> Frame {
        var frame = last ?? Frame(Self.size)
        if last == nil || generator.below(3) == 0 { frame = Frame(Self.size) }
        for _ in 0..<generator.below(8) { change(&frame) }
        return frame
    }

    private mutating func change(_ frame: inout Frame) {
        let (row, column) = (generator.below(Self.size.rows), generator.below(Self.size.columns))
        switch generator.below(6) {
        case 0: frame.place(pictures[generator.below(pictures.count)], row: row, column: column)
        case 1:
            let area = CellArea(
                row: row,
                column: column,
                rows: generator.below(4),
                columns: generator.below(9)
            )
            frame.fill(area, style: Self.styles[generator.below(Self.styles.count)])
        case 2: frame.cursor = generator.below(2) == 0 ? nil : (row, column)
        default:
            let text = (0..<1 + generator.below(4)).map { _ in Self.words[generator.below(Self.words.count)] }
            frame.write(
                text.joined(),
                row: row,
                column: column,
                style: Self.styles[generator.below(Self.styles.count)]
            )
        }
    }
}

extension SplitMix64 {
    fileprivate mutating func below(_ bound: Int) -> Int {
        bound < 1 ? 0 : Int.random(in: 0..<bound, using: &self)
    }
}
