import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

struct GeometryTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let size: PixelSize
        let transform: Transform
        let scaled: PixelSize
        let kept: PixelArea

        init(
            _ width: Int,
            _ height: Int,
            _ transform: Transform,
            scaled: (Int, Int),
            kept: (Int, Int, Int, Int)? = nil
        ) {
            size = PixelSize(width: width, height: height)
            self.transform = transform
            self.scaled = PixelSize(width: scaled.0, height: scaled.1)
            let area = kept ?? (0, 0, scaled.0, scaled.1)
            self.kept = PixelArea(
                left: area.0,
                top: area.1,
                size: PixelSize(width: area.2, height: area.3)
            )
        }

        var testDescription: String { "\(size) \(transform.mode) \(transform.box)" }
    }

    private static func middle(_ width: Int, _ height: Int, of transform: Transform) -> Transform {
        var transform = transform
        transform.edits.middle = PixelSize(width: width, height: height)
        return transform
    }

    @Test(arguments: [
        Case(4000, 3000, .none, scaled: (4000, 3000)),
        Case(4000, 3000, .fit(256, 256), scaled: (256, 192)),
        Case(3000, 4000, .fit(256, 256), scaled: (192, 256)),
        Case(1000, 999, .fit(100, 100), scaled: (100, 100)),
        Case(100_000, 10, .fit(256, 256), scaled: (256, 1)),
        Case(10, 100_000, .fit(256, 256), scaled: (1, 256)),
        Case(3, 2, .fit(2, 2), scaled: (2, 1)),
        Case(100, 80, .fit(256, 256), scaled: (100, 80)),
        Case(100, 80, .fit(256, 256, enlarges: true), scaled: (256, 205)),
        Case(300, 80, .fit(256, 256), scaled: (256, 68)),
        Case(256, 256, .fit(256, 256), scaled: (256, 256)),
        Case(1, 1, .fit(65_535, 65_535, enlarges: true), scaled: (65_535, 65_535)),
    ])
    func `fit and none keep the whole picture`(_ table: Case) {
        let geometry = Geometry(table.transform, of: table.size)
        #expect(geometry.scaled == table.scaled)
        #expect(geometry.kept == table.kept)
        #expect(!geometry.isCut)
    }

    @Test(arguments: [
        Case(4000, 3000, .fill(256, 256), scaled: (341, 256), kept: (42, 0, 256, 256)),
        Case(3000, 4000, .fill(256, 256), scaled: (256, 341), kept: (0, 42, 256, 256)),
        Case(512, 256, .fill(256, 128), scaled: (256, 128), kept: (0, 0, 256, 128)),
        Case(256, 256, .fill(256, 256), scaled: (256, 256), kept: (0, 0, 256, 256)),
        Case(100, 80, .fill(256, 256), scaled: (100, 80), kept: (10, 0, 80, 80)),
        Case(400, 100, .fill(200, 200), scaled: (400, 100), kept: (150, 0, 100, 100)),
        Case(100, 80, .fill(256, 256, enlarges: true), scaled: (320, 256), kept: (32, 0, 256, 256)),
        Case(1, 1000, .fill(100, 1), scaled: (1, 1000), kept: (0, 499, 1, 1)),
        Case(601, 512, middle(256, 256, of: .stretch(300, 256)), scaled: (300, 256), kept: (22, 0, 256, 256)),
        Case(513, 512, middle(256, 256, of: .stretch(257, 256)), scaled: (257, 256), kept: (0, 0, 256, 256)),
        Case(100, 80, middle(90, 90, of: .none), scaled: (100, 80), kept: (5, 0, 90, 80)),
    ])
    func `fill keeps the centre in the box's proportions`(_ table: Case) {
        let geometry = Geometry(table.transform, of: table.size)
        #expect(geometry.scaled == table.scaled)
        #expect(geometry.kept == table.kept)
    }

    @Test func `stretch gives the box exactly`() {
        let geometry = Geometry(.stretch(300, 20), of: PixelSize(width: 17, height: 4000))
        #expect(geometry.output == PixelSize(width: 300, height: 20))
    }

    @Test func `no transform enlarges unless asked, and none gives an empty picture`() {
        var random = SplitMix64(seed: 105)
        for _ in 0..<5000 {
            let size = PixelSize(
                width: .random(in: 1...5000, using: &random),
                height: .random(in: 1...5000, using: &random)
            )
            let (w, h) = (Int.random(in: 1...3000, using: &random), Int.random(in: 1...3000, using: &random))
            for transform in [Transform.fit(w, h), .fill(w, h)] {
                let geometry = Geometry(transform, of: size)
                #expect(geometry.output.width >= 1 && geometry.output.height >= 1)
                #expect(geometry.scaled.width <= size.width && geometry.scaled.height <= size.height)
                #expect(geometry.output.width <= w || geometry.scaled == size)
                let kept = geometry.kept
                #expect(kept.left >= 0 && kept.left + kept.size.width <= geometry.scaled.width)
                #expect(kept.top >= 0 && kept.top + kept.size.height <= geometry.scaled.height)
            }
        }
    }

    @Test(arguments: [
        (4000, 3000, 256, 192, 4), (4096, 4096, 256, 256, 8), (4095, 4096, 256, 256, 4),
        (511, 511, 256, 256, 1),
        (1024, 1024, 256, 256, 2), (1023, 1024, 256, 256, 1), (8000, 100, 100, 40, 1),
    ])
    func `shrinking while loading leaves the resampler twice the target`(
        _ w: Int,
        _ h: Int,
        _ targetWidth: Int,
        _ targetHeight: Int,
        _ factor: Int
    ) {
        let target = PixelSize(width: targetWidth, height: targetHeight)
        #expect(Geometry.shrink(PixelSize(width: w, height: h), for: target) == factor)
    }

    @Test(arguments: 1...8)
    func `an area of the upright picture is found in the stored one`(_ orientation: Int) {
        let upright = PixelSize(width: 30, height: 20)
        let area = PixelArea(left: 3, top: 4, size: PixelSize(width: 10, height: 5))
        let stored = area.stored(in: upright, orientation: orientation)
        let frame = orientation >= 5 ? upright.transposed : upright
        #expect(stored.size == (orientation >= 5 ? area.size.transposed : area.size))
        #expect(stored.left >= 0 && stored.left + stored.size.width <= frame.width)
        #expect(stored.top >= 0 && stored.top + stored.size.height <= frame.height)
        // Which edges of the stored area lie next to the upright one's, by the definition of EXIF's orientations.
        let (left, top, right, bottom) = (3, 4, 17, 11)
        let expected = [
            (left, top), (right, top), (right, bottom), (left, bottom),
            (top, left), (top, right), (bottom, right), (bottom, left),
        ][orientation - 1]
        #expect((stored.left, stored.top) == expected)
    }
}
