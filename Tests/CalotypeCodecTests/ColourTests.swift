import CalotypeCodec
import CalotypeCore
import Testing

/// What comes out is 8-bit sRGB with straight alpha, whatever the source's model is; only grey stays grey.
@Suite(.timeLimit(.minutes(1)))
struct ColourTests {
    /// Ways of storing CMYK, all inverted as Adobe does: without a marker that says so, with it, and as YCCK.
    enum Ink: CaseIterable {
        case unmarked, adobe, ycck
    }

    /// White, black, cyan, and magenta with yellow, as ink from 0 to 255.
    private static let inks = [[0, 0, 0, 0], [0, 0, 0, 255], [255, 0, 0, 0], [0, 255, 255, 0]]

    /// PNG colour types, two pixels of 16 bits a sample, and what they are in eight: the nearest of 255 levels.
    private static let deep: [(UInt8, [Int], [[UInt8]])] = [
        (2, [0x8000, 0xFFFF, 0x0000, 0x1234, 0xABCD, 0x00FF], [[128, 255, 0, 255], [18, 171, 0, 255]]),
        (
            6, [0x8000, 0xFFFF, 0, 0x8000, 0x4000, 0x2000, 0x1000, 0xFFFF],
            [[128, 255, 0, 128], [64, 32, 16, 255]]
        ),
        (0, [0x6400, 0x8CFF], [[100, 100, 100, 255], [140, 140, 140, 255]]),
        (4, [0x6400, 0xFFFF, 0x8C00, 0x4000], [[100, 100, 100, 255], [140, 140, 140, 64]]),
    ]

    @Test(arguments: Ink.allCases, [Transform.none, .fit(16, 16), .fit(8, 8)])
    func `a CMYK JPEG comes out in sRGB`(_ ink: Ink, _ transform: Transform) async throws {
        try await withEachCodec { codec in
            let jpeg = HandMade.flatJPEG(grid(Self.inks.map(ink.stored)), columns: 4, adobe: ink.transform)
            let specs: [PictureSpec] = [
                .pixels(transform), .encoded(RenditionSpec(transform, .png)),
                .encoded(RenditionSpec(transform, .jpeg)),
            ]
            let made = try await codec.pictures(of: .bytes(jpeg)) { specs }.map { try $0.get() }
            var pictures = [try #require(made[0].bitmap)]
            for coded in made.dropFirst() {
                pictures.append(try await codec.bitmap(of: .bytes(coded.bytes)))
            }
            for picture in pictures {
                let colours = quarters(picture)
                #expect(colours[0].allSatisfy { $0 > 240 })
                #expect(colours[1].prefix(3).allSatisfy { $0 < 60 })
                #expect(colours[2][0] < 80 && colours[2][1] > 120 && colours[2][2] > 200)
                #expect(colours[3][0] > 200 && colours[3][1] < 80 && colours[3][2] < 80)
                #expect(picture.isOpaque)
            }
            #expect(!made[0].source.hasAlpha)
        }
    }

    @Test(arguments: deep)
    func `a PNG of 16 bits comes out in 8`(
        colour: UInt8,
        samples: [Int],
        pixels: [[UInt8]]
    ) async throws {
        try await withEachCodec { codec in
            let halves = [samples.prefix(samples.count / 2), samples.suffix(samples.count / 2)]
            let row = halves.flatMap { Array(repeatElement($0, count: 20).joined()) }
            let png = HandMade.png(width: 40, height: 1, colour: colour, depth: 16, samples: row)
            #expect(try await codec.facts(of: .bytes(png)).bitDepth == 16)
            for transform in [Transform.none, .fit(20, 20)] {
                let picture = try await codec.bitmap(of: .bytes(png), transform)
                #expect(near(picture.pixel(4, 0), pixels[0], by: 1))
                #expect(near(picture.pixel(picture.size.width - 4, 0), pixels[1], by: 1))
            }
            let made = try await codec.renditions(of: .bytes(png), as: [RenditionSpec(.none, .png)])
            #expect(made[0].bytes[24] == 8)
        }
    }

    @Test(arguments: [Transform.none, .fit(1, 1)])
    func `a wide-gamut picture comes out in sRGB`(_ transform: Transform) async throws {
        // By the matrices of the two spaces; what sRGB cannot show is cut off at its border.
        let colours: [(displayP3: [Int], sRGB: [UInt8])] = [
            ([200, 100, 50], [215, 93, 31]), ([60, 120, 180], [30, 122, 185]),
            ([150, 160, 90], [148, 160, 79]),
            ([128, 128, 128], [128, 128, 128]), ([255, 0, 0], [255, 0, 0]), ([0, 255, 0], [0, 255, 0]),
        ]
        let profile = HandMade.profile(HandMade.displayP3)
        try await withEachCodec { codec in
            for (source, wanted) in colours {
                let plain = HandMade.png(width: 2, height: 1, colour: 2, depth: 8, samples: source + source)
                let png = HandMade.png(plain, profile: profile)
                let flat = HandMade.flatJPEG([source, source], columns: 2, adobe: 0)
                let jpeg = HandMade.jpeg(flat, profile: profile)
                for bytes in [png, jpeg] {
                    let specs: [PictureSpec] = [.pixels(transform), .encoded(RenditionSpec(transform, .png))]
                    let made = try await codec.pictures(of: .bytes(bytes)) { specs }.map { try $0.get() }
                    #expect(near(try #require(made[0].bitmap).pixel(0, 0), wanted + [255], by: 3))
                    #expect(made[0].source.profile != nil)
                    let encoded = try #require(try codec.probe(made[1].bytes, isComplete: true))
                    #expect(encoded.profile == nil)
                    #expect(try await codec.bitmap(of: .bytes(made[1].bytes)) == made[0].bitmap)
                }
            }
        }
    }

    @Test(arguments: 0...2)
    func `a profile of a single table is applied, whatever intent it is for`(_ intent: Int) async throws {
        let profile = HandMade.tableProfile(intent: intent)
        let flat = HandMade.flatJPEG([[200, 100, 50], [200, 100, 50]], columns: 2, adobe: 0)
        try await withEachCodec { codec in
            let picture = try await codec.bitmap(of: .bytes(HandMade.jpeg(flat, profile: profile)))
            #expect(near(picture.pixel(3, 3), [159, 98, 96, 255], by: 2))
        }
    }

    @Test(
        arguments: [ImageFormat.png, .webp, .gif, .tiff, .avif, .heic],
        [Transform.fit(10, 10), .fill(8, 12), .none]
    )
    func `samples averaged as light keep their colours beside alpha`(
        _ format: ImageFormat,
        _ transform: Transform
    ) async throws {
        // A half of it is transparent; GIF has nothing between that and opaque.
        let pixels: [[UInt8]] = [[90, 128, 200, 255], [90, 128, 200, format == .gif ? 0 : 128]]
        let rgba = (0..<40).flatMap { row in repeatElement(pixels[row / 20], count: 40).joined() }
        let flat = Bitmap(size: PixelSize(width: 40, height: 40), rgba: rgba)
        try await withEachCodec { codec in
            let bytes = try await codec.encode(flat, as: format, quality: 95)
            let picture = try await codec.bitmap(of: .bytes(bytes), transform.inLinearLight())
            let (width, height) = (picture.size.width, picture.size.height)
            #expect(near(picture.pixel(width / 2, 1), pixels[0], by: 6))
            #expect(picture.pixel(width / 2, 1)[3] == 255)
            let lower = picture.pixel(width / 2, height - 2)
            #expect(near(format == .gif ? [lower[3]] : lower, format == .gif ? [0] : pixels[1], by: 6))
        }
    }

    @Test func `a PNG of 16 bits keeps its colours beside alpha in linear light`() async throws {
        try await withEachCodec { codec in
            for (colour, pixel) in [(6, [0x8080, 0x4040, 0xC0C0, 0x8080]), (4, [0x8080, 0x8080])]
                as [(UInt8, [Int])]
            {
                let samples = Array(repeatElement(pixel, count: 400).joined())
                let png = HandMade.png(width: 20, height: 20, colour: colour, depth: 16, samples: samples)
                let picture = try await codec.bitmap(of: .bytes(png), Transform.fit(7, 7).inLinearLight())
                let levels = pixel.map { UInt8($0 >> 8) }
                let wanted = colour == 6 ? levels : [levels[0], levels[0], levels[0], levels[1]]
                #expect(near(picture.pixel(3, 3), wanted, by: 1))
            }
        }
    }

    @Test func `a grey picture stays grey when encoded, and gives equal channels as pixels`()
        async throws
    {
        try await withEachCodec { codec in
            let jpeg = HandMade.flatJPEG([[40], [200]], columns: 2)
            let translucent = HandMade.png(
                width: 2,
                height: 1,
                colour: 4,
                depth: 8,
                samples: [40, 255, 200, 128]
            )
            for (bytes, alpha) in [(jpeg, UInt8(255)), (translucent, 128)] {
                let specs: [PictureSpec] = [.pixels(.none), .encoded(RenditionSpec(.none, .png))]
                let made = try await codec.pictures(of: .bytes(bytes)) { specs }.map { try $0.get() }
                let picture = try #require(made[0].bitmap)
                #expect(picture.pixel(0, 0) == [40, 40, 40, 255])
                #expect(picture.pixel(picture.size.width - 1, 0) == [200, 200, 200, alpha])
                // The colour type of PNG: 0 for grey, 4 for grey with alpha.
                #expect(made[1].bytes[25] == (alpha == 255 ? 0 : 4))
                #expect(try await codec.bitmap(of: .bytes(made[1].bytes)) == picture)
            }
        }
    }

    @Test(arguments: [ImageFormat.avif, .heic])
    func `a turn that is part of HEIF is applied exactly once`(_ format: ImageFormat) async throws {
        try await withEachCodec { codec in
            let plain = try await codec.encode(fourCorners(96, 64), as: format)
            let (tl, tr, bl, br) = (Corner.topLeft, Corner.topRight, Corner.bottomLeft, Corner.bottomRight)
            // `irot` turns counter-clockwise, by quarters.
            let turns: [[Corner?]] = [
                [tl, tr, bl, br], [tr, br, tl, bl], [br, bl, tr, tl], [bl, tl, br, tr],
            ]
            for (quarters, corners) in turns.enumerated() {
                let turned = HandMade.heif(plain, turnedBy: UInt8(quarters))
                let facts = try await codec.facts(of: .bytes(turned))
                for transform in [Transform.none, .fit(40, 40), .fill(30, 30)] {
                    let picture = try await codec.bitmap(of: .bytes(turned), transform)
                    #expect(picture.corners == corners, "\(quarters) quarters, \(transform.mode)")
                    if transform.mode == .none { #expect(picture.size == facts.size) }
                }
            }
        }
    }
}

extension ColourTests.Ink {
    var transform: UInt8? {
        switch self {
        case .unmarked: nil
        case .adobe: 0
        case .ycck: 2
        }
    }

    /// The samples that stand for `ink`.
    func stored(_ ink: [Int]) -> [Int] {
        switch self {
        case .unmarked, .adobe: return ink.map { 255 - $0 }
        case .ycck:
            let (r, g, b) = (Double(ink[0]), Double(ink[1]), Double(ink[2]))
            let levels = [
                0.299 * r + 0.587 * g + 0.114 * b, 128 - 0.168736 * r - 0.331264 * g + 0.5 * b,
                128 + 0.5 * r - 0.418688 * g - 0.081312 * b,
            ]
            return levels.map { min(255, Int($0.rounded())) } + [255 - ink[3]]
        }
    }
}

/// Four colours as four by four blocks, each colour in a quarter.
private func grid(_ colours: [[Int]]) -> [[Int]] {
    (0..<16).map { colours[$0 / 8 * 2 + $0 % 4 / 2] }
}

/// The colours in the middle of the four quarters.
private func quarters(_ picture: Bitmap) -> [[UInt8]] {
    let (w, h) = (picture.size.width, picture.size.height)
    return [(w / 4, h / 4), (w * 3 / 4, h / 4), (w / 4, h * 3 / 4), (w * 3 / 4, h * 3 / 4)]
        .map { picture.pixel($0, $1) }
}

/// Whether no channel of two pixels differs by more than `steps`.
private func near(_ one: [UInt8], _ other: [UInt8], by steps: Int) -> Bool {
    zip(one, other).allSatisfy { abs(Int($0) - Int($1)) <= steps }
}

extension Bitmap {
    fileprivate var isOpaque: Bool {
        stride(from: 3, to: rgba.count, by: 4).allSatisfy { rgba[$0] == 255 }
    }
}
