import CalotypeCodec
import CalotypeCore
import CalotypeSamplePictures
import Testing

@testable import Calotype

/// Which bitmap may be given for which request.
struct LargerBitmapsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let wanted: Transform
        let made: Transform
        /// The size of the bitmap.
        let size: (Int, Int)
        let serves: Bool
        var testDescription: String { "\(wanted) by \(made) of \(size)" }

        init(_ wanted: Transform, _ made: Transform, _ size: (Int, Int), _ serves: Bool) {
            (self.wanted, self.made, self.size, self.serves) = (wanted, made, size, serves)
        }
    }

    private static let cases = [
        // Whole pictures.
        Case(.fit(32, 32), .fit(64, 64), (64, 48), true),
        Case(.fit(32, 32), .none, (640, 480), true),
        Case(.fit(64, 64), .fit(32, 32), (32, 24), false),
        Case(.none, .fit(64, 64), (64, 48), false),
        // Other boxes that ask for no more.
        Case(.fit(100, 48), .fit(64, 64), (64, 48), true),
        Case(.fit(40, 1000), .fit(64, 64), (64, 48), true),
        Case(.fit(100, 60), .fit(64, 64), (64, 48), false),
        // The whole source, which is never enlarged.
        Case(.fit(64, 64), .fit(50, 50), (40, 30), true),
        Case(.none, .fit(50, 50), (40, 30), true),
        Case(.none, .fit(50, 50), (50, 30), false),
        Case(.fit(64, 64), .none, (40, 30), true),
        Case(.fit(64, 64, enlarges: true), .none, (40, 30), false),
        Case(.fit(64, 64, enlarges: true), .fit(50, 50), (40, 30), false),
        Case(.fit(40, 40, enlarges: true), .none, (40, 30), true),
        Case(.fit(32, 32), .fit(64, 64, enlarges: true), (64, 48), true),
        Case(.none, .fit(64, 64, enlarges: true), (64, 48), false),
        // One pixel.
        Case(.fit(65, 65), .fit(64, 64), (64, 48), true),
        Case(.fit(66, 66), .fit(64, 64), (64, 48), false),
        Case(.fit(1000, 1), .fit(100, 100), (100, 1), false),
        // Cut pictures: the same aspect ratio only.
        Case(.fill(32, 32), .fill(64, 64), (64, 64), true),
        Case(.fill(32, 24), .fill(64, 48), (64, 48), true),
        Case(.fill(33, 25), .fill(64, 48), (64, 48), true),
        Case(.fill(32, 32), .fill(64, 48), (64, 48), false),
        Case(.fill(64, 64), .fill(32, 32), (32, 32), false),
        Case(.fill(64, 64), .fill(50, 50), (40, 40), true),
        Case(.fill(64, 64, enlarges: true), .fill(50, 50), (40, 40), false),
        Case(.stretch(32, 32), .stretch(64, 64), (64, 64), true),
        Case(.stretch(32, 16), .stretch(64, 64), (64, 64), false),
        Case(.stretch(64, 64), .stretch(32, 32), (32, 32), false),
        // Never one way for another.
        Case(.fill(32, 32), .fit(64, 64), (64, 48), false),
        Case(.fit(32, 32), .fill(64, 64), (64, 64), false),
        Case(.fill(32, 32), .none, (64, 64), false),
        Case(.stretch(32, 32), .fill(64, 64), (64, 64), false),
        Case(.none, .fill(64, 64), (40, 40), false),
        // Never what is edited, nor where the size does not follow from the box.
        Case(.fit(32, 32).edited(flipped), .fit(64, 64).edited(flipped), (64, 48), false),
        Case(.fit(32, 32), .fit(64, 64).edited(flipped), (64, 48), false),
        Case(.fit(32, 32).edited(flipped), .none, (64, 48), false),
        Case(.fit(0, 60), .fit(64, 64), (64, 48), false),
        Case(.fit(32, 32), .fit(0, 64), (32, 64), false),
        Case(.auto(32), .auto(64), (64, 64), false),
    ]

    private static let flipped: PictureEdits = {
        var edits = PictureEdits()
        edits.flipsVertically = true
        return edits
    }()

    @Test(arguments: cases)
    func `a larger bitmap serves a smaller request, a smaller one only when it is the original`(
        _ this: Case
    ) {
        let size = PixelSize(width: this.size.0, height: this.size.1)
        #expect(LargerBitmaps.serves(this.wanted, this.made, size: size) == this.serves)
    }

    @Test func `whatever the sizes, what serves is not smaller by more than a pixel, nor another shape`() {
        var random = SeededRandom(seed: 91)
        var served = 0
        for _ in 0..<100_000 {
            let source = Self.size(using: &random)
            let (wanted, made) = (Self.transform(using: &random), Self.transform(using: &random))
            let size = Geometry(made, of: source).output
            let asked = Geometry(wanted, of: source).output
            guard LargerBitmaps.serves(wanted, made, size: size) else {
                let contains = made.box.width >= wanted.box.width && made.box.height >= wanted.box.height
                #expect(
                    !(wanted.mode == .fit && made.mode == .fit && contains) || wanted.enlarges,
                    "\(wanted) by \(made) of \(source)"
                )
                continue
            }
            served += 1
            #expect(
                size.width + 1 >= asked.width && size.height + 1 >= asked.height,
                "\(wanted) by \(made) of \(source)"
            )
            // Scaled to the width or to the height of what was asked for, the other edge is that of it or the next one.
            let difference = abs(size.width * asked.height - size.height * asked.width)
            #expect(
                difference <= max(size.width, size.height) + max(asked.width, asked.height),
                "\(wanted) by \(made) of \(source)"
            )
        }
        #expect(served > 10_000)
    }

    private static func size(using random: inout SeededRandom) -> PixelSize {
        PixelSize(width: .random(in: 1...90, using: &random), height: .random(in: 1...90, using: &random))
    }

    private static func transform(using random: inout SeededRandom) -> Transform {
        let box = size(using: &random)
        let enlarges = Int.random(in: 0..<4, using: &random) == 0
        return switch Int.random(in: 0..<8, using: &random) {
        case 0: .none
        case 1...4: .fit(box.width, box.height, enlarges: enlarges)
        case 5, 6: .fill(box.width, box.width, enlarges: enlarges)
        default: .stretch(box.width, box.width)
        }
    }
}

extension Transform {
    fileprivate static func auto(_ side: Int) -> Transform {
        Transform(mode: .auto, box: PixelSize(width: side, height: side))
    }
}
