import CalotypeCore
import Testing

@testable import CalotypeCodec

/// What edits do to pixels, on both decoders where both do it.
@Suite(.timeLimit(.minutes(2)))
struct EditTests {
    /// Where a colour of `fourCorners` is looked for in an upright picture of two of its corners.
    private static let places: [(Gravity.Place, [Corner])] = [
        (.northWest, [.topLeft]), (.northEast, [.topRight]), (.southWest, [.bottomLeft]),
        (.southEast, [.bottomRight]), (.north, [.topLeft, .topRight]), (.east, [.topRight, .bottomRight]),
        (.south, [.bottomLeft, .bottomRight]), (.west, [.topLeft, .bottomLeft]),
    ]

    @Test(arguments: 1...8, 0..<4)
    func `a crop lies where it does after orientation, turn and flips`(
        _ orientation: Int,
        _ quarters: Int
    ) async throws {
        try await withEachCodec { codec in
            let jpeg = try await codec.encode(fourCorners(120, 80), as: .jpeg, quality: 95)
            let source = HandMade.jpeg(jpeg, orientation: orientation)
            for flips in [(false, false), (true, false), (false, true)] {
                var edits = PictureEdits()
                edits.quarterTurns = quarters
                (edits.flipsHorizontally, edits.flipsVertically) = flips
                let whole = try await codec.bitmap(of: .bytes(source), Transform.none.edited(edits))
                for (place, _) in Self.places.prefix(4) {
                    edits.crop = CropArea(width: 0.4, height: 0.4, gravity: .place(place, x: 0, y: 0))
                    let transform = Transform.fit(16, 16).edited(edits)
                    let part = try await codec.bitmap(of: .bytes(source), transform)
                    #expect(Set(part.corners) == [whole.corner(place)], "\(place) \(flips)")
                    #expect((part.size.width > part.size.height) == (whole.size.width > whole.size.height))
                }
            }
        }
    }

    @Test(arguments: 1...8)
    func `areas are blurred where they lie after orientation, and grow by a tenth of their longer side`(
        _ orientation: Int
    ) async throws {
        try await withEachCodec { codec in
            let columns = (0..<200).flatMap { (column: Int) -> [UInt8] in
                let level: UInt8 = column / 2 % 2 == 0 ? 0 : 255
                return [level, level, level, 255]
            }
            let stripes = Bitmap(
                size: PixelSize(width: 200, height: 160),
                rgba: (0..<160).flatMap { _ in columns }
            )
            let jpeg = try await codec.encode(stripes, as: .jpeg, quality: 95)
            let source = HandMade.jpeg(jpeg, orientation: orientation)
            let area = try #require(RelativeArea(left: 0.1, top: 0.3, right: 0.3, bottom: 0.7))
            let blurred = try await codec.bitmap(of: .bytes(source), Self.edited { $0.blurredAreas = [area] })
            let whole = try await codec.bitmap(of: .bytes(source), .none)
            let side = Double(max(whole.size.width / 5, whole.size.height * 2 / 5))
            /// The largest difference of two pixels of the four across and down from here.
            func contrast(_ bitmap: Bitmap, _ x: Double, _ y: Double) -> Int {
                let levels = (0..<16).map { step -> UInt8 in
                    let (column, row) = (Int(x) + step % 4, Int(y) + step / 4)
                    return bitmap.rgba[row * bitmap.rowBytes + column * 4]
                }
                return Int((levels.max() ?? 0) - (levels.min() ?? 0))
            }
            let (width, height) = (Double(whole.size.width), Double(whole.size.height))
            #expect(contrast(blurred, 0.2 * width, 0.5 * height) < 10)
            #expect(contrast(blurred, 0.2 * width, 0.7 * height) < 140)
            #expect(contrast(blurred, 0.2 * width, 0.7 * height + side * 0.1) < 200)
            // The edges are soft for three deviations at most.
            for (x, y) in [
                (0.2 * width, 0.7 * height + side * 0.45), (0.3 * width + side * 0.45, 0.5 * height),
            ] {
                #expect(contrast(blurred, x, y) > 240 && contrast(whole, x, y) > 240)
            }
        }
    }

    @Test func `the box lies where its gravity says`() async throws {
        try await withEachCodec { codec in
            let png = try await codec.encode(fourCorners(120, 80), as: .png)
            for (place, corners) in Self.places {
                var edits = PictureEdits()
                edits.gravity = .place(place, x: 0, y: 0)
                edits.least = PixelSize(width: 120, height: 80)
                let transform = Transform(mode: .fit, box: PixelSize(width: 36, height: 24)).edited(edits)
                let part = try await codec.bitmap(of: .bytes(png), transform)
                #expect(part.size == PixelSize(width: 36, height: 24))
                #expect(Set(part.corners.compactMap(\.self)) == Set(corners), "\(place)")
            }
        }
    }

    @Test(arguments: [OutputFormat.png, .jpeg(quality: 95)])
    func `a cropped part is not touched by what lies beside it`(_ source: OutputFormat) async throws {
        // Squares of 24 pixels: a crop of one has its colour alone, but for what compression blurs.
        try await withEachCodec { codec in
            let bytes = try await codec.encode(fourCorners(48, 48), as: source)
            for (index, place) in [Gravity.Place.northWest, .northEast, .southWest, .southEast].enumerated() {
                for side in [24, 12, 7, 3, 40] {
                    var edits = PictureEdits()
                    edits.crop = CropArea(width: 24, height: 24, gravity: .place(place, x: 0, y: 0))
                    let transform = Transform.fit(side, side, enlarges: true).edited(edits)
                    let part = try await codec.bitmap(of: .bytes(bytes), transform)
                    let colour = uprightCorners[index]?.colour ?? []
                    let worst = stride(from: 0, to: part.rgba.count, by: 4).map { start in
                        zip(part.rgba[start...], colour).map { abs(Int($0) - Int($1)) }.max() ?? 255
                    }
                    #expect((worst.max() ?? 255) <= (source == .png ? 1 : 70), "\(place) \(side)")
                }
            }
        }
    }

    @Test func `pictures of a pixel, and of a line, can be edited`() async throws {
        try await withEachCodec { codec in
            for size in [(1, 1), (1, 3000), (3000, 1)] {
                let png = try await codec.encode(fourCorners(size.0, size.1), as: .png)
                for edit in Self.all {
                    var edits = PictureEdits()
                    edit(&edits)
                    for transform in [Transform.none, .fill(20, 20), .fit(10, 10, enlarges: true)] {
                        let made = try await codec.bitmap(of: .bytes(png), transform.edited(edits))
                        #expect(made.size.width >= 1 && made.size.height >= 1)
                    }
                }
            }
        }
    }

    @Test func `a blur takes detail away, a large one as a small one, and sharpening adds to it`()
        async throws
    {
        try await withImageCodec { codec in
            let png = try await codec.encode(noise(64, 64), as: .png)
            let plain = try await codec.bitmap(of: .bytes(png), .none).spread
            var spreads: [Double] = []
            for blur in [1.0, 4, 16, 17, 100] {
                spreads.append(try await codec.bitmap(of: .bytes(png), Self.edited { $0.blur = blur }).spread)
            }
            #expect(spreads[0] < plain / 2)
            #expect(zip(spreads, spreads.dropFirst()).allSatisfy { $0 >= $1 - 0.3 }, "\(spreads)")
            #expect(spreads[4] < 3)
            let soft = Self.edited { $0.blur = 1 }
            let sharpened = Self.edited {
                $0.blur = 1
                $0.sharpen = 1
            }
            let before = try await codec.bitmap(of: .bytes(png), soft).spread
            #expect(try await codec.bitmap(of: .bytes(png), sharpened).spread > before)
        }
    }

    @Test func `squares have the mean of what they cover`() async throws {
        try await withImageCodec { codec in
            let source = noise(50, 30)
            let png = try await codec.encode(source, as: .png)
            let made = try await codec.bitmap(of: .bytes(png), Self.edited { $0.pixelation = 10 })
            #expect(made.size == source.size)
            let inner = (0..<10).flatMap { y in (0..<10).map { x in Int(source.pixel(10 + x, 10 + y)[0]) } }
            let mean = inner.reduce(0, +) / inner.count
            for (x, y) in [(10, 10), (19, 10), (14, 19)] {
                #expect(abs(Int(made.pixel(x, y)[0]) - mean) <= 1)
            }
        }
    }

    @Test func `extensions and paddings are transparent, or of the background, around the picture`()
        async throws
    {
        try await withImageCodec { codec in
            let png = try await codec.encode(fourCorners(20, 10), as: .png)
            var edits = PictureEdits()
            edits.extended = .place(.south, x: 0, y: 0)
            edits.padding = Padding(top: 1, right: 2, bottom: 3, left: 4)
            let transform = Transform.fit(20, 20).edited(edits)
            let made = try await codec.bitmap(of: .bytes(png), transform)
            #expect(made.size == PixelSize(width: 26, height: 24))
            #expect([made.pixel(0, 0), made.pixel(5, 10), made.pixel(25, 23)].allSatisfy { $0[3] == 0 })
            #expect(made.pixel(4, 11) == Corner.topLeft.colour + [255])
            #expect(made.pixel(23, 20) == Corner.bottomRight.colour + [255])
            edits.background = Colour(red: 1, green: 2, blue: 3)
            let ground = try await codec.bitmap(of: .bytes(png), Transform.fit(20, 20).edited(edits))
            #expect(ground.pixel(0, 0) == [1, 2, 3, 255])
            #expect(ground.pixel(4, 11) == Corner.topLeft.colour + [255])
            let jpeg = try await codec.renditions(of: .bytes(png), as: [RenditionSpec(transform, .jpeg)])
            #expect(try await codec.bitmap(of: .bytes(jpeg[0].bytes)).pixel(0, 0).allSatisfy { $0 > 245 })
        }
    }

    @Test func `transparency lies on the background, on both ways`() async throws {
        try await withEachCodec { codec in
            let png = try await codec.encode(fourCorners(16, 16, alpha: 0), as: .png)
            let made = try await codec.bitmap(
                of: .bytes(png),
                Transform.fit(8, 8).edited(
                    Self.edits { $0.background = Colour(red: 9, green: 90, blue: 200) }
                )
            )
            #expect(made.pixel(4, 4) == [9, 90, 200, 255])
        }
    }

    @Test func `an even border is cut off, as much at both sides where asked`() async throws {
        try await withImageCodec { codec in
            var edits = PictureEdits()
            edits.padding = Padding(top: 3, right: 10, bottom: 5, left: 4)
            edits.background = Colour(red: 10, green: 10, blue: 10)
            let framed = Transform.none.edited(edits)
            let png = try await codec.encode(fourCorners(40, 20), as: .png)
            let made = try await codec.renditions(of: .bytes(png), as: [RenditionSpec(framed, .png)])
            #expect(made[0].size == PixelSize(width: 54, height: 28))
            let trimmed = try await codec.bitmap(
                of: .bytes(made[0].bytes),
                Self.edited { $0.trim = BorderTrim(threshold: 10) }
            )
            #expect(trimmed == fourCorners(40, 20))
            let even = Self.edited {
                $0.trim = BorderTrim(threshold: 10, isEqualHorizontally: true, isEqualVertically: true)
            }
            let evenly = try await codec.bitmap(of: .bytes(made[0].bytes), even)
            #expect(evenly.size == PixelSize(width: 46, height: 22))
            let other = BorderTrim(threshold: 10, colour: .white)
            let kept = try await codec.bitmap(of: .bytes(made[0].bytes), Self.edited { $0.trim = other })
            #expect(kept.size == PixelSize(width: 54, height: 28))
            var blank = PictureEdits()
            blank.trim = BorderTrim(threshold: 10)
            let even1 = try await codec.encode(fourCorners(9, 9, alpha: 0), as: .png)
            #expect(try await codec.bitmap(of: .bytes(even1), Transform.none.edited(blank)).size.width == 9)
        }
    }

    @Test func `attention finds what stands out`() async throws {
        try await withImageCodec { codec in
            var picture = fourCorners(200, 60)
            for index in stride(from: 0, to: picture.rgba.count, by: 4) {
                let x = index / 4 % 200
                let isSpot = (150..<180).contains(x) && (index / 800 / 5 + x / 5) % 2 == 0
                picture.rgba.replaceSubrange(index..<index + 3, with: isSpot ? [255, 60, 20] : [90, 90, 90])
            }
            let png = try await codec.encode(picture, as: .png)
            for transform in [
                Self.edited(.fill(60, 60)) { $0.gravity = .attention },
                Self.edited(.none) { $0.crop = CropArea(width: 60, height: 60, gravity: .attention) },
            ] {
                let made = try await codec.bitmap(of: .bytes(png), transform)
                #expect(made.size == PixelSize(width: 60, height: 60))
                #expect(made.rgba.enumerated().contains { $0.offset % 4 == 0 && $0.element > 240 })
            }
        }
    }

    @Test func `a watermark lies once or again and again, and shows as much as it may`() async throws {
        try await withImageCodec { codec in
            let black = Bitmap(size: PixelSize(width: 40, height: 30), rgba: .init(repeating: 0, count: 4800))
            let ground = Self.edited { $0.background = Colour(red: 0, green: 0, blue: 0) }
            let png = try await codec.encode(black, as: .png)
            let white = Bitmap(size: PixelSize(width: 4, height: 4), rgba: .init(repeating: 255, count: 64))
            let mark = EncodedPicture(name: "white", bytes: try await codec.encode(white, as: .png))
            func made(_ watermark: Watermark) async throws -> Bitmap {
                var transform = ground
                transform.edits.watermark = watermark
                return try await codec.bitmap(of: .bytes(png), transform)
            }
            let once = try await made(Watermark(mark, position: .once(.place(.southEast, x: 2, y: 1))))
            #expect(once.pixel(34, 25)[0] == 255 && once.pixel(37, 28)[0] == 255)
            #expect(once.pixel(33, 25)[0] == 0 && once.pixel(38, 28)[0] == 0)
            let half = try await made(Watermark(mark, opacity: 0.5))
            #expect(abs(Int(half.pixel(20, 15)[0]) - 128) <= 1 && half.pixel(5, 5)[0] == 0)
            let scaled = try await made(Watermark(mark, scale: 0.5))
            #expect(scaled.rgba.filter { $0 == 255 }.count >= 15 * 15 * 3)
            #expect(scaled.pixel(1, 1)[0] == 0)
            let tiled = try await made(Watermark(mark, position: .tiled(x: 2, y: 2)))
            #expect(tiled.rgba.enumerated().filter { $0.offset % 4 == 0 && $0.element > 250 }.count > 400)
            let over = try await made(Watermark(mark, position: .once(.place(.northWest, x: -2, y: -2))))
            #expect(over.pixel(1, 1)[0] == 255 && over.pixel(2, 2)[0] == 0)
            let broken = EncodedPicture(name: "broken", bytes: Array("no picture".utf8))
            #expect(await code { _ = try await made(Watermark(broken)) } == .invalidRequest)
        }
    }

    @Test func `a frame of an animation is taken, and one that is not there is refused`() async throws {
        try await withImageCodec { codec in
            let gif = HandMade.gif(width: 20, height: 10, frames: 3)
            for frame in 0..<3 {
                let made = try await codec.bitmap(of: .bytes(gif), Self.edited { $0.frame = frame })
                #expect(made.size == PixelSize(width: 20, height: 10))
            }
            let refused = await code {
                _ = try await codec.bitmap(of: .bytes(gif), Self.edited { $0.frame = 3 })
            }
            #expect(refused == .invalidRequest)
            let specs: [PictureSpec] = [.pixels(.none), .pixels(Self.edited { $0.frame = 2 })]
            let both = try await codec.pictures(of: .bytes(gif)) { specs }
            #expect(both.allSatisfy { (try? $0.get()) != nil })
        }
    }

    @Test(arguments: [OutputFormat.jpeg(quality: 95), .webp(quality: 95), .avif(quality: 90)])
    func `the quality gives way until the bytes are few enough, or says that it cannot`(
        _ output: OutputFormat
    ) async throws {
        try await withEachCodec { codec in
            let png = try await codec.encode(noise(90, 70), as: .png)
            let full = try await codec.renditions(of: .bytes(png), as: [RenditionSpec(.none, output)])
            let most = full[0].bytes.count * 2 / 3
            let transform = Self.edited { $0.mostBytes = ByteCount(most) }
            let made = try await codec.renditions(of: .bytes(png), as: [RenditionSpec(transform, output)])
            #expect(made[0].bytes.count <= most && made[0].bytes.count > most / 3)
            let few = RenditionSpec(Self.edited { $0.mostBytes = ByteCount(100) }, output)
            #expect(
                await code { _ = try await codec.renditions(of: .bytes(png), as: [few]) } == .tooManyBytes
            )
            let none = RenditionSpec(few.transform, .png)
            #expect(try await codec.renditions(of: .bytes(png), as: [none])[0].bytes.count > 100)
        }
    }

    @Test func `plain geometry stays on the fast path, and the rest says what took it away`() async throws {
        try await withImageCodec { codec in
            let png = try await codec.encode(fourCorners(60, 40), as: .png)
            let cases: [(String?, (inout PictureEdits) -> Void)] = [
                (nil, { $0.crop = CropArea(width: 20, height: 0.5) }),
                (nil, { $0.gravity = .focus(x: 0.2, y: 0.3) }), (nil, { $0.zoom = ScaleFactors(0.5, 0.3) }),
                (nil, { $0.pixelRatio = 2 }), (nil, { $0.least.width = 50 }), (nil, { $0.quarterTurns = 3 }),
                (nil, { $0.flipsVertically = true }), (nil, { $0.ignoresOrientation = true }),
                (nil, { $0.background = .white }), (nil, { $0.mostBytes = .kibibytes(9) }),
                (nil, { $0.mostSide = 10 }), (nil, { $0.kept = .copyright }),
                (nil, { $0.extended = .centre }),
                ("trimmed", { $0.trim = BorderTrim(threshold: 10) }), ("blurred", { $0.blur = 1 }),
                ("cut by attention", { $0.gravity = .attention }), ("sharpened", { $0.sharpen = 1 }),
                ("pixelated", { $0.pixelation = 2 }), ("extended", { $0.padding.left = 1 }),
                ("metadata kept", { $0.kept = .all }),
                ("metadata kept", { $0.kept = [.profile, .copyright] }),
            ]
            for (reason, edit) in cases {
                let spec = RenditionSpec(Self.edited(.fill(30, 30), edit), .jpeg)
                let made = try await codec.renditions(of: .bytes(png), as: [spec])
                let expected = reason.map { PictureDecoder.libvips(reason: $0) } ?? .fast
                #expect(made[0].decoder == expected)
            }
        }
    }

    @Test func `an edited original is not the source's very bytes`() async throws {
        try await withImageCodec { codec in
            let png = try await codec.encode(fourCorners(6, 4), as: .png)
            let spec = RenditionSpec(Self.edited { $0.flipsVertically = true }, .original)
            let made = try await codec.renditions(of: .bytes(png), as: [spec])
            #expect(!made[0].isVerbatim)
            #expect(made[0].format == .png)
        }
    }

    @Test(arguments: [(OutputFormat.gif, ImageFormat.gif), (.tiff, .tiff), (.heic(quality: 60), .heic)])
    func `GIF, TIFF and HEIC go out too`(_ output: OutputFormat, _ format: ImageFormat) async throws {
        try await withEachCodec { codec in
            let png = try await codec.encode(fourCorners(64, 64), as: .png)
            let made = try await codec.renditions(of: .bytes(png), as: [RenditionSpec(.fit(32, 32), output)])
            #expect(made[0].format == format)
            #expect(try await codec.bitmap(of: .bytes(made[0].bytes)).corners == uprightCorners)
        }
    }

    @Test func `what would become too large is refused before it is made`() async throws {
        try await withEachCodec { codec in
            let png = try await codec.encode(fourCorners(8, 8), as: .png)
            let cases: [(inout PictureEdits) -> Void] = [
                { $0.padding = Padding(top: 60_000, right: 60_000) }, { $0.least.width = 60_000 },
                {
                    $0.trim = BorderTrim(threshold: 5)
                    $0.least.width = 60_000
                },
            ]
            for edit in cases {
                let found = await code {
                    _ = try await codec.bitmap(of: .bytes(png), Self.edited(.none, edit))
                }
                #expect(found == .tooManyPixels)
            }
        }
    }

    /// An edit of each kind.
    private static let all: [@Sendable (inout PictureEdits) -> Void] = [
        { $0.trim = BorderTrim(threshold: 10) }, { $0.crop = CropArea(width: 0.3, height: 1) },
        { $0.crop = CropArea(width: 0.3, height: 0.3, gravity: .attention) }, { $0.gravity = .attention },
        { $0.least = PixelSize(width: 9, height: 5) }, { $0.zoom = ScaleFactors(0.01, 3) },
        { $0.pixelRatio = 0.1 }, { $0.quarterTurns = 1 }, { $0.blur = 3 }, { $0.blur = 50 },
        { $0.sharpen = 2 }, { $0.blurredAreas = [RelativeArea.middle] },
        { $0.pixelation = 7 }, { $0.extended = .place(.east, x: 0.3, y: 4) },
        { $0.extendedToAspectRatio = .focus(x: 0, y: 1) }, { $0.padding.top = 3 }, { $0.background = .white },
        { $0.mostSide = 7 },
    ]

    private static func edits(_ edit: (inout PictureEdits) -> Void) -> PictureEdits {
        var edits = PictureEdits()
        edit(&edits)
        return edits
    }

    private static func edited(
        _ transform: Transform = .none,
        _ edit: (inout PictureEdits) -> Void
    ) -> Transform {
        transform.edited(edits(edit))
    }
}

extension Bitmap {
    /// The colour of `fourCorners` in the quarter at a corner.
    fileprivate func corner(_ place: Gravity.Place) -> Corner? {
        let index: [Gravity.Place: Int] = [.northWest: 0, .northEast: 1, .southWest: 2, .southEast: 3]
        return corners[index[place] ?? 0]
    }

    /// The standard deviation of the red samples.
    fileprivate var spread: Double {
        let reds = stride(from: 0, to: rgba.count, by: 4).map { Double(rgba[$0]) }
        let mean = reds.reduce(0, +) / Double(reds.count)
        return (reds.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(reds.count)).squareRoot()
    }
}
