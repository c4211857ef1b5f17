import CalotypeCodec
import CalotypeCore
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TIFFTests {
    /// A file under a name, and the pixel that it shows, if it shows one.
    struct Sample: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let tiff: [UInt8]
        let pixel: [UInt8]

        init(_ name: String, _ tiff: [UInt8], _ pixel: [UInt8] = []) {
            testDescription = name
            self.tiff = tiff
            self.pixel = pixel
        }
    }

    /// Flat pictures, and the pixel that each of them shows; light from 0 to 1 is that of sRGB.
    private static let samples = [
        Sample("colours", HandMade.flatTIFF([200, 100, 50], bits: 8), [200, 100, 50, 255]),
        Sample("alpha", HandMade.flatTIFF([128, 128, 128, 255], bits: 8, extra: 2), [128, 128, 128, 255]),
        Sample(
            "some alpha",
            HandMade.flatTIFF([200, 100, 50, 128], bits: 8, extra: 2),
            [200, 100, 50, 128]
        ),
        Sample("weighted", HandMade.flatTIFF([100, 50, 25, 128], bits: 8, extra: 1), [199, 100, 50, 128]),
        Sample(
            "16 bits",
            HandMade.flatTIFF(HandMade.integers(2, 0xC800, 0x6400, 0x3200, 0x8080), bits: 16, extra: 2),
            [199, 100, 50, 128]
        ),
        Sample(
            "grey and alpha",
            HandMade.flatTIFF([200, 128], bits: 8, model: 1, extra: 2),
            [200, 200, 200, 128]
        ),
        Sample(
            "32 bits",
            HandMade.flatTIFF(HandMade.integers(4, 1 << 31, 1 << 30, 0), bits: 32),
            [128, 64, 0, 255]
        ),
        Sample(
            "32 bits of grey",
            HandMade.flatTIFF(HandMade.integers(4, 1 << 31), bits: 32, model: 1),
            [128, 128, 128, 255]
        ),
        Sample(
            "signed",
            HandMade.flatTIFF(HandMade.integers(2, 0x4000, 0x2000, 0), bits: 16, kind: 2),
            [64, 32, 0, 255]
        ),
        Sample(
            "floats",
            HandMade.flatTIFF(HandMade.floats(0.5, 0.25, 0.1), bits: 32, kind: 3),
            [188, 137, 89, 255]
        ),
        Sample(
            "floats and alpha",
            HandMade.flatTIFF(HandMade.floats(0.5, 0.25, 0.1, 0.5), bits: 32, kind: 3, extra: 2),
            [188, 137, 89, 128]
        ),
        Sample(
            "weighted floats",
            HandMade.flatTIFF(HandMade.floats(0.25, 0.125, 0.05, 0.5), bits: 32, kind: 3, extra: 1),
            [188, 137, 89, 128]
        ),
        Sample(
            "floats beyond",
            HandMade.flatTIFF(HandMade.floats(7, -1, 0.5), bits: 32, kind: 3),
            [255, 0, 188, 255]
        ),
        Sample(
            "floats of grey",
            HandMade.flatTIFF(HandMade.floats(0.5), bits: 32, kind: 3, model: 1),
            [188, 188, 188, 255]
        ),
        Sample(
            "floats of grey and alpha",
            HandMade.flatTIFF(HandMade.floats(0.5, 0.5), bits: 32, kind: 3, model: 1, extra: 2),
            [188, 188, 188, 128]
        ),
        Sample(
            "levels as floats",
            HandMade.flatTIFF(HandMade.floats(100), bits: 32, kind: 3, model: 1),
            [100, 100, 100, 255]
        ),
        Sample(
            "floats of a device",
            HandMade.flatTIFF(
                HandMade.floats(0.5, 0.25, 0.1),
                bits: 32,
                kind: 3,
                profile: HandMade.profile(HandMade.sRGB)
            ),
            [128, 64, 26, 255]
        ),
        Sample("Lab", HandMade.flatTIFF([128, 20, 236], bits: 8, model: 8), [137, 109, 153, 255]),
        Sample(
            "Lab of 16 bits",
            HandMade.flatTIFF(HandMade.integers(2, 0x8080, 20 << 8, -20 << 8), bits: 16, model: 8),
            [137, 109, 153, 255]
        ),
        Sample(
            "Lab and alpha",
            HandMade.flatTIFF([128, 20, 236, 200], bits: 8, model: 8, extra: 2),
            [137, 109, 153, 200]
        ),
        Sample(
            "Lab with its profile",
            HandMade.flatTIFF([128, 20, 236], bits: 8, model: 8, profile: HandMade.labProfile()),
            [137, 109, 153, 255]
        ),
        Sample(
            "Lab of 16 bits with its profile",
            HandMade.flatTIFF(
                HandMade.integers(2, 0x8080, 20 << 8, -20 << 8),
                bits: 16,
                model: 8,
                profile: HandMade.labProfile()
            ),
            [137, 109, 153, 255]
        ),
    ]

    @Test(arguments: samples)
    func `samples of each kind are the colours that they stand for`(_ sample: Sample) async throws {
        try await withImageCodec { codec in
            var keeping = PictureEdits()
            keeping.kept = .profile
            for transform in [
                Transform.none, .fit(16, 16), .fit(16, 16).inLinearLight(), .fill(10, 20),
                .fit(16, 16).edited(keeping),
            ] {
                let picture = try await codec.bitmap(of: .bytes(sample.tiff), transform)
                for place in [0, picture.size.width / 2, picture.size.width - 1] {
                    let pixel = picture.pixel(place, picture.size.height / 2)
                    let isNear = zip(pixel, sample.pixel).allSatisfy { abs(Int($0) - Int($1)) <= 2 }
                    #expect(isNear && pixel[3] == sample.pixel[3], "\(pixel), \(transform.mode)")
                }
            }
        }
    }

    @Test func `a watermark may be of any samples too`() async throws {
        try await withImageCodec { codec in
            let mark = HandMade.flatTIFF(HandMade.floats(0.5, 0.25, 0.1, 1), bits: 32, kind: 3, extra: 2)
            var edits = PictureEdits()
            edits.watermark = Watermark(EncodedPicture(name: "mark", bytes: mark), scale: 1)
            let png = try await codec.encode(fourCorners(40, 40), as: .png)
            let picture = try await codec.bitmap(of: .bytes(png), Transform.none.edited(edits))
            #expect(zip(picture.pixel(20, 20), [188, 137, 89, 255]).allSatisfy { abs(Int($0) - $1) <= 1 })
        }
    }

    @Test(arguments: 1...8)
    func `a TIFF that comes out is upright, once`(_ orientation: Int) async throws {
        try await withEachCodec { codec in
            let upright = fourCorners(60, 40)
            let pixels = stride(from: 0, to: upright.rgba.count, by: 4).flatMap { upright.rgba[$0..<$0 + 3] }
            let fields: [Int: TIFFField] = [
                258: .shorts([8, 8, 8]), 262: .shorts([2]), 274: .shorts([orientation]), 277: .shorts([3]),
            ]
            let tiff = HandMade.tiff(width: 60, height: 40, fields: fields, data: pixels)
            let jpeg = HandMade.jpeg(try await codec.encode(upright, as: .jpeg), orientation: orientation)
            var keeping = PictureEdits()
            keeping.kept = .all
            for (source, output) in [(tiff, OutputFormat.original), (tiff, .tiff), (jpeg, .tiff)] {
                for transform in [Transform.none, .fit(30, 30), .fit(30, 30).edited(keeping)] {
                    let wanted = try await codec.bitmap(of: .bytes(source), transform)
                    let made = try await codec.renditions(
                        of: .bytes(source),
                        as: [RenditionSpec(transform, output)]
                    )
                    #expect(made[0].format == .tiff)
                    #expect(try await codec.facts(of: .bytes(made[0].bytes)).orientation == 1)
                    let shown = try await codec.bitmap(of: .bytes(made[0].bytes))
                    #expect(shown.size == wanted.size && shown.corners == wanted.corners)
                }
            }
        }
    }

    /// Sound pictures of kinds that are not read.
    private static let unread = [
        Sample("planes in tiles", planesInTiles),
        Sample("12 bits", HandMade.flatTIFF([1, 2, 3], bits: 12, model: 1)),
        Sample(
            "floats of 64 bits",
            HandMade.flatTIFF([UInt8](repeating: 0, count: 8), bits: 64, kind: 3, model: 1)
        ),
        Sample("floats of 16 bits", HandMade.flatTIFF([0, 0x38], bits: 16, kind: 3, model: 1)),
        Sample("an unknown compression", compressed(34_712)),
        Sample("ICC Lab", HandMade.flatTIFF([128, 128, 128], bits: 8, model: 9)),
        Sample("YCbCr", HandMade.flatTIFF([124, 86, 182], bits: 8, model: 6)),
        Sample("JPEG of the old style", compressed(6, model: 6)),
        Sample("raw samples", HandMade.flatTIFF([124], bits: 8, model: 32_803)),
    ]

    @Test(arguments: unread)
    func `a sound TIFF of a kind that is not read is not called damaged`(_ sample: Sample) async throws {
        try await withImageCodec { codec in
            let error = await #expect(throws: CalotypeError.self) {
                _ = try await codec.bitmap(of: .bytes(sample.tiff), .fit(10, 10))
            }
            #expect(error?.code == .unsupportedFormat)
            #expect(error?.message.contains("damaged") == false && (error?.message.utf8.count ?? 0) > 40)
        }
    }

    @Test func `an AVIF over the limits of its decoder is not called damaged`() async throws {
        try await withImageCodec { codec in
            var avif = try await codec.encode(fourCorners(64, 64), as: .avif)
            let size = try #require(avif.indices.first { avif[$0...].starts(with: Array("ispe".utf8)) }) + 8
            avif.replaceSubrange(size..<size + 8, with: HandMade.big(70_000, 4) + HandMade.big(64, 4))
            let error = await #expect(throws: CalotypeError.self) {
                _ = try await codec.bitmap(of: .bytes(avif), .fit(10, 10))
            }
            #expect(error?.code == .unsupportedFormat)
            #expect(error?.message.contains("70000x64") == true)
        }
    }

    @Test func `data that make no sense are still damage`() async throws {
        try await withImageCodec { codec in
            for compression in [8, 50_000] {
                #expect(
                    await code { _ = try await codec.bitmap(of: .bytes(Self.compressed(compression))) }
                        == .corruptImage
                )
            }
        }
    }

    @Test(arguments: 0...2)
    func `a TIFF whose directories form a loop gives its first picture`(_ loop: Int) async throws {
        try await withImageCodec { codec in
            let fields: [Int: TIFFField] = [
                258: .shorts([8, 8, 8]), 262: .shorts([2]), 277: .shorts([3]),
            ]
            let data = Array(repeatElement([200, 100, 50] as [UInt8], count: 400).joined())
            let tiff = HandMade.tiff(width: 20, height: 20, fields: fields, pages: 3, loop: loop, data: data)
            let facts = try await codec.facts(of: .bytes(tiff))
            #expect(facts.frames == 3)
            let picture = try await codec.bitmap(of: .bytes(tiff))
            #expect(picture.pixel(7, 7) == [200, 100, 50, 255])
        }
    }

    @Test func `a palette behind the cut is missed, whatever else is there`() async throws {
        try await withImageCodec { codec in
            let palette = [200, 100, 50].flatMap { [Int](repeating: $0 * 257, count: 256) }
            let fields: [Int: TIFFField] = [
                258: .shorts([8]), 262: .shorts([3]), 277: .shorts([1]), 320: .shorts(palette),
            ]
            let data = [UInt8](repeating: 7, count: 400)
            let tiff = HandMade.tiff(width: 20, height: 20, fields: fields, data: data)
            let whole = try await codec.bitmap(of: .bytes(tiff))
            #expect(whole.pixel(7, 7) == [200, 100, 50, 255])
            var limits = ImageLimits()
            for cut in [1, 2, 512, 1024, 1535, 1536] {
                let bytes = Array(tiff.dropLast(cut))
                for accepts in [false, true] {
                    limits.acceptsTruncated = accepts
                    let found = await code { _ = try await codec.bitmap(of: .bytes(bytes), limits: limits) }
                    #expect(found == .truncatedImage, "\(cut) bytes less")
                }
                #expect(await code { _ = try await codec.facts(of: .bytes(bytes)) } == .truncatedImage)
            }
        }
    }

    /// Three planes of one tile each.
    private static let planesInTiles = HandMade.tiff(
        width: 16,
        height: 16,
        fields: [
            258: .shorts([8, 8, 8]), 262: .shorts([2]), 277: .shorts([3]), 284: .shorts([2]),
            322: .shorts([16]),
            323: .shorts([16]), 324: .longs([8, 264, 520]), 325: .longs([256, 256, 256]),
        ],
        data: [UInt8](repeating: 100, count: 768)
    )

    private static func compressed(_ compression: Int, model: Int = 2) -> [UInt8] {
        HandMade.tiff(
            width: 16,
            height: 16,
            fields: [
                258: .shorts([8, 8, 8]), 259: .shorts([compression]), 262: .shorts([model]),
                277: .shorts([3]),
            ],
            data: [UInt8](repeating: 0, count: 768)
        )
    }
}
