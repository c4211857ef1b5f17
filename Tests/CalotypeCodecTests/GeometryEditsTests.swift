import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

/// Sizes and places against imgproxy's formulas, computed by hand.
struct GeometryEditsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let size: PixelSize
        let transform: Transform
        let crop: PixelArea
        let scaled: PixelSize
        let kept: PixelArea
        let output: PixelSize

        init(
            _ name: String,
            _ size: (Int, Int),
            _ mode: Transform.Mode,
            _ box: (Int, Int),
            enlarges: Bool = false,
            crop: (Int, Int, Int, Int)? = nil,
            scaled: (Int, Int),
            kept: (Int, Int, Int, Int)? = nil,
            output: (Int, Int)? = nil,
            _ edit: (inout PictureEdits) -> Void = { _ in }
        ) {
            self.name = name
            self.size = PixelSize(width: size.0, height: size.1)
            var edits = PictureEdits()
            edit(&edits)
            let box = PixelSize(width: box.0, height: box.1)
            transform = Transform(mode: mode, box: box, enlarges: enlarges).edited(edits)
            self.crop = Self.area(crop ?? (0, 0, size.0, size.1))
            self.scaled = PixelSize(width: scaled.0, height: scaled.1)
            self.kept = Self.area(kept ?? (0, 0, scaled.0, scaled.1))
            self.output = output.map { PixelSize(width: $0.0, height: $0.1) } ?? self.kept.size
        }

        var testDescription: String { name }

        private static func area(_ area: (Int, Int, Int, Int)) -> PixelArea {
            PixelArea(left: area.0, top: area.1, size: PixelSize(width: area.2, height: area.3))
        }
    }

    @Test(arguments: [
        // Sides of 0 follow from the other and the picture.
        Case("fit by width", (400, 300), .fit, (200, 0), scaled: (200, 150)),
        Case("fit by height", (400, 300), .fit, (0, 150), scaled: (200, 150)),
        Case("fill by height", (400, 300), .fillPartly, (0, 30), scaled: (40, 30)),
        Case("stretch by width", (400, 300), .stretch, (200, 0), enlarges: true, scaled: (200, 300)),
        Case("no box", (400, 300), .fit, (0, 0), scaled: (400, 300)),
        // Not enlarged unless asked.
        Case("stretch no larger", (100, 100), .stretch, (200, 50), scaled: (100, 25)),
        Case("stretch larger", (100, 100), .stretch, (200, 50), enlarges: true, scaled: (200, 50)),
        Case("fit larger by width", (100, 50), .fit, (300, 0), enlarges: true, scaled: (300, 150)),
        // Zoom and ratio.
        Case("zoom halves", (400, 300), .none, (0, 0), scaled: (200, 150)) {
            $0.zoom = ScaleFactors(0.5, 0.5)
        },
        Case("zoom squeezes", (400, 300), .fit, (200, 0), scaled: (100, 300), kept: (0, 0, 100, 300)) {
            $0.zoom = ScaleFactors(0.5, 2)
        },
        Case("ratio doubles", (400, 300), .fit, (100, 100), scaled: (200, 150)) { $0.pixelRatio = 2 },
        Case("ratio is cut", (400, 300), .fit, (300, 300), scaled: (400, 300)) { $0.pixelRatio = 3 },
        Case("ratio of a small one", (100, 100), .fit, (200, 200), scaled: (100, 100)) {
            $0.pixelRatio = 0.5
        },
        Case("ratio fills", (400, 300), .fillPartly, (100, 100), scaled: (267, 200), kept: (34, 0, 200, 200))
        {
            $0.pixelRatio = 2
        },
        // The least sides enlarge, and the box cuts.
        Case("least width", (400, 300), .fit, (0, 0), scaled: (800, 600)) { $0.least.width = 800 },
        Case("least height", (400, 100), .fit, (200, 200), scaled: (320, 80), kept: (60, 0, 200, 80)) {
            $0.least.height = 80
        },
        // The two ways to fill.
        Case("fill down", (300, 80), .fill, (100, 100), scaled: (300, 80), kept: (110, 0, 80, 80)),
        Case("fill partly", (300, 80), .fillPartly, (100, 100), scaled: (300, 80), kept: (100, 0, 100, 80)),
        Case("fill partly small", (30, 20), .fillPartly, (100, 100), scaled: (30, 20)),
        Case(
            "fill larger",
            (300, 80),
            .fillPartly,
            (100, 100),
            enlarges: true,
            scaled: (375, 100),
            kept: (138, 0, 100, 100)
        ),
        Case("auto fills", (400, 300), .auto, (100, 50), scaled: (100, 75), kept: (0, 13, 100, 50)),
        Case("auto fits", (300, 400), .auto, (100, 50), scaled: (38, 50)),
        Case(
            "auto takes squares for wide",
            (300, 300),
            .auto,
            (100, 50),
            scaled: (100, 100),
            kept: (0, 26, 100, 50)
        ),
        // Gravity.
        Case("north west", (400, 300), .fill, (100, 100), scaled: (133, 100), kept: (0, 0, 100, 100)) {
            $0.gravity = .place(.northWest, x: 0, y: 0)
        },
        Case("east", (400, 300), .fill, (100, 100), scaled: (133, 100), kept: (28, 0, 100, 100)) {
            $0.gravity = .place(.east, x: 5, y: 0)
        },
        Case("south, ratio 2", (300, 400), .fill, (50, 50), scaled: (100, 133), kept: (0, 23, 100, 100)) {
            $0.gravity = .place(.south, x: 0, y: 5)
            $0.pixelRatio = 2
        },
        Case("west by a fraction", (400, 300), .fill, (100, 100), scaled: (133, 100), kept: (13, 0, 100, 100))
        {
            $0.gravity = .place(.west, x: 0.1, y: 0)
        },
        Case(
            "an offset that leads out",
            (400, 300),
            .fill,
            (100, 100),
            scaled: (133, 100),
            kept: (33, 0, 100, 100)
        ) {
            $0.gravity = .place(.west, x: 90, y: 90)
        },
        Case("focus", (400, 300), .fill, (100, 100), scaled: (133, 100), kept: (16, 0, 100, 100)) {
            $0.gravity = .focus(x: 0.5, y: 1)
        },
        Case("focus at the edge", (400, 300), .fill, (100, 100), scaled: (133, 100), kept: (33, 0, 100, 100))
        {
            $0.gravity = .focus(x: 1, y: 0)
        },
        // Crop.
        Case("crop", (400, 300), .fit, (50, 50), crop: (150, 100, 100, 100), scaled: (50, 50)) {
            $0.crop = CropArea(width: 100, height: 100)
        },
        Case("crop by fractions", (400, 300), .none, (0, 0), crop: (100, 0, 200, 75), scaled: (200, 75)) {
            $0.crop = CropArea(width: 0.5, height: 0.25, gravity: .place(.north, x: 0, y: 0))
        },
        Case("crop a side", (400, 300), .none, (0, 0), crop: (0, 200, 400, 100), scaled: (400, 100)) {
            $0.crop = CropArea(width: 0, height: 100, gravity: .place(.south, x: 0, y: 0))
        },
        Case(
            "crop by the box's gravity",
            (400, 300),
            .none,
            (0, 0),
            crop: (290, 0, 100, 300),
            scaled: (100, 300)
        ) {
            $0.crop = CropArea(width: 100, height: 900)
            $0.gravity = .place(.east, x: 10, y: 0)
            $0.pixelRatio = 7
        },
        // Extensions and paddings.
        Case("extend", (100, 50), .fit, (200, 200), scaled: (100, 50), output: (200, 200)) {
            $0.extended = .centre
        },
        Case("extend, ratio 2", (100, 50), .fit, (100, 100), scaled: (100, 50), output: (100, 100)) {
            $0.extended = .centre
            $0.pixelRatio = 2
        },
        Case("extend to the aspect", (100, 50), .fit, (400, 300), scaled: (100, 50), output: (100, 75)) {
            $0.extendedToAspectRatio = .centre
        },
        Case("padding", (400, 300), .fit, (200, 200), scaled: (200, 150), output: (220, 170)) {
            $0.padding = Padding(top: 5, right: 10, bottom: 15, left: 10)
        },
        Case("padding, ratio 1.5", (400, 300), .fit, (100, 100), scaled: (150, 113), output: (158, 117)) {
            $0.padding = Padding(top: 1, right: 3, bottom: 1, left: 3)
            $0.pixelRatio = 1.5
        },
        // The largest side.
        Case("largest side", (400, 300), .none, (0, 0), scaled: (100, 75)) { $0.mostSide = 100 },
        Case(
            "largest side, filled",
            (400, 300),
            .fill,
            (200, 200),
            scaled: (133, 100),
            kept: (16, 0, 100, 100)
        ) {
            $0.mostSide = 100
        },
        Case("largest side, padded", (200, 100), .fit, (200, 0), scaled: (100, 50), output: (120, 70)) {
            $0.padding = Padding(top: 20, right: 20, bottom: 20, left: 20)
            $0.mostSide = 120
        },
        // Never less than a pixel.
        Case("a line", (1, 10_000), .fit, (100, 100), scaled: (1, 100)),
        Case(
            "a line across",
            (10_000, 1),
            .fillPartly,
            (10, 10),
            scaled: (10_000, 1),
            kept: (4996, 0, 10, 1)
        ),
        Case("a point", (1, 1), .fit, (0, 1), scaled: (1, 1)) { $0.zoom = ScaleFactors(0.001, 0.001) },
    ])
    func `sizes and places follow the formulas`(_ table: Case) {
        let geometry = Geometry(table.transform, of: table.size)
        #expect(geometry.crop == table.crop)
        #expect(geometry.scaled == table.scaled)
        #expect(geometry.kept == table.kept)
        #expect(geometry.output == table.output)
    }

    @Test func `what extends and pads lies around the picture`() {
        var edits = PictureEdits()
        edits.extended = .place(.southEast, x: 3, y: 0.1)
        edits.padding = Padding(top: 1, right: 2, bottom: 3, left: 4)
        let geometry = Geometry(Transform.fit(200, 200).edited(edits), of: PixelSize(width: 100, height: 50))
        let canvases = [
            Geometry.Canvas(size: PixelSize(width: 200, height: 200), left: 97, top: 130),
            Geometry.Canvas(size: PixelSize(width: 206, height: 204), left: 4, top: 1),
        ]
        #expect(geometry.canvases == canvases)
        edits.extended = .place(.west, x: -900, y: 0)
        edits.padding = Padding()
        let out = Geometry(Transform.fit(200, 200).edited(edits), of: PixelSize(width: 100, height: 50))
        #expect(out.canvases.map(\.left) == [-99])
    }

    @Test(arguments: 1...8, 0..<4)
    func `a turn is that of the orientation, then the quarters, then the flips`(
        _ orientation: Int,
        _ quarters: Int
    ) {
        for flips in [(false, false), (true, false), (false, true), (true, true)] {
            var facts = ImageFacts(format: .jpeg, storedSize: PixelSize(width: 4, height: 2))
            facts.orientation = orientation
            var edits = PictureEdits()
            edits.quarterTurns = quarters
            (edits.flipsHorizontally, edits.flipsVertically) = flips
            let standing = Standing(facts, edits)
            let stored = Marks(width: 4, height: 2)
            var expected = stored.turned(orientation)
            for _ in 0..<quarters { expected = expected.turned(6) }
            if flips.0 { expected = expected.turned(2) }
            if flips.1 { expected = expected.turned(4) }
            #expect(stored.turned(standing.orientation) == expected)
            #expect(standing.size == PixelSize(width: expected.width, height: expected.height))
            facts.orientation = 1
            let plain = Standing(facts, edits)
            facts.orientation = orientation
            edits.ignoresOrientation = true
            #expect(Standing(facts, edits) == plain)
        }
    }

    @Test func `what is not edited comes out as integers alone would have it`() {
        var random = SplitMix64(seed: 8)
        for _ in 0..<20_000 {
            let size = PixelSize(
                width: .random(in: 1...70_000, using: &random),
                height: .random(in: 1...70_000, using: &random)
            )
            let (w, h) = (
                Int.random(in: 1...65_535, using: &random), Int.random(in: 1...3000, using: &random)
            )
            for transform in [
                Transform.fit(w, h), .fit(w, h, enlarges: true), .fill(w, h), .fill(w, h, enlarges: true),
                .stretch(w, h),
            ] {
                let geometry = Geometry(transform, of: size)
                let exact = Exact(transform, of: size)
                #expect(
                    geometry.scaled == exact.scaled && geometry.kept == exact.kept,
                    "\(transform) of \(size)"
                )
            }
        }
    }

    @Test func `numbers that are none, or out of their range, are refused by their name`() {
        let edits: [(String, (inout PictureEdits) -> Void)] = [
            ("zoom", { $0.zoom.x = .nan }), ("zoom", { $0.zoom.y = 0 }),
            ("pixel ratio", { $0.pixelRatio = -1 }),
            ("pixel ratio", { $0.pixelRatio = .infinity }), ("minimum width", { $0.least.width = -1 }),
            ("maximum side", { $0.mostSide = -1 }), ("quarter turns", { $0.quarterTurns = 4 }),
            ("frame", { $0.frame = -1 }), ("number of frames", { $0.mostFrames = 0 }),
            ("padding", { $0.padding.left = -1 }),
            ("offset", { $0.gravity = .place(.east, x: .nan, y: 0) }),
            ("focus point", { $0.extended = .focus(x: 0.5, y: 1.5) }),
            ("crop", { $0.crop = CropArea(width: -0.5, height: 0) }),
            ("blur", { $0.blur = .nan }), ("sharpening", { $0.sharpen = -1 }),
            ("pixelation", { $0.pixelation = 1 << 20 }),
            ("threshold", { $0.trim = BorderTrim(threshold: .nan) }),
            ("bytes", { $0.mostBytes = ByteCount(0) }), ("attention", { $0.extended = .attention }),
            ("opacity", { $0.watermark = Watermark(EncodedPicture(name: "", bytes: []), opacity: 2) }),
        ]
        for (word, edit) in edits {
            var edited = PictureEdits()
            edit(&edited)
            let error = #expect(throws: CalotypeError.self) { try Transform.none.edited(edited).validate() }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains(word) == true, "\(error?.message ?? "") tells nothing of \(word)")
        }
        #expect(throws: Never.self) {
            try Transform(mode: .auto, box: PixelSize(width: 0, height: 1)).validate()
        }
        let error = #expect(throws: CalotypeError.self) { try Transform(mode: .auto, box: .zero).validate() }
        #expect(error?.message.contains("a box of 0x0") == true)
    }
}

/// Numbered pixels that are turned one by one.
private struct Marks: Equatable {
    var width: Int
    var height: Int
    var marks: [Int]

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        marks = Array(0..<width * height)
    }

    /// The picture that is upright where this one is stored with `orientation`, by the definition of EXIF.
    func turned(_ orientation: Int) -> Marks {
        let (w, h) = orientation >= 5 ? (height, width) : (width, height)
        var turned = Marks(width: w, height: h)
        for y in 0..<h {
            for x in 0..<w {
                let (column, row) =
                    switch orientation {
                    case 2: (width - 1 - x, y)
                    case 3: (width - 1 - x, height - 1 - y)
                    case 4: (x, height - 1 - y)
                    case 5: (y, x)
                    case 6: (y, height - 1 - x)
                    case 7: (width - 1 - y, height - 1 - x)
                    case 8: (width - 1 - y, x)
                    default: (x, y)
                    }
                turned.marks[y * w + x] = marks[row * width + column]
            }
        }
        return turned
    }
}

/// What a transform without edits comes to, on integers alone.
private struct Exact {
    var scaled: PixelSize
    var kept: PixelArea

    init(_ transform: Transform, of size: PixelSize) {
        let box = transform.box
        let isWider = size.width * box.height >= size.height * box.width
        scaled = size
        var kept = size
        switch transform.mode {
        case .stretch: (scaled, kept) = (box, box)
        case .fit:
            let isLarger = size.width > box.width || size.height > box.height
            if isLarger || transform.enlarges { scaled = Self.scale(size, to: box, byWidth: isWider) }
            kept = scaled
        default:
            if size.width >= box.width && size.height >= box.height || transform.enlarges {
                (scaled, kept) = (Self.scale(size, to: box, byWidth: !isWider), box)
            } else {
                kept = Self.scale(box, to: size, byWidth: !isWider)
            }
        }
        scaled = PixelSize(width: max(scaled.width, kept.width), height: max(scaled.height, kept.height))
        self.kept = PixelArea(
            left: (scaled.width - kept.width) / 2,
            top: (scaled.height - kept.height) / 2,
            size: kept
        )
    }

    private static func scale(_ size: PixelSize, to box: PixelSize, byWidth: Bool) -> PixelSize {
        byWidth
            ? PixelSize(width: box.width, height: rounded(size.height * box.width, by: size.width))
            : PixelSize(width: rounded(size.width * box.height, by: size.height), height: box.height)
    }

    private static func rounded(_ dividend: Int, by divisor: Int) -> Int {
        max(1, (2 * dividend + divisor) / (2 * divisor))
    }
}
