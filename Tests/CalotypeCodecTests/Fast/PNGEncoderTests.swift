import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

/// The fast PNG encoder: what goes in comes out, by its own decoder and by libpng.
@Suite(.timeLimit(.minutes(3)))
struct PNGEncoderTests {
    private static let models: [SampleLayout.Model] = [.grey, .greyAlpha, .rgb, .rgba]
    private static let sizes = [
        (1, 1), (1, 9), (2, 1), (3, 3), (5, 2), (8, 8), (17, 31), (33, 5), (64, 64), (301, 47),
    ]

    @Test(arguments: models, Effort.allCases)
    func `pictures of all sizes come back exactly`(_ model: SampleLayout.Model, _ effort: Effort) async throws
    {
        try await withImageCodec { codec in
            for (seed, (width, height)) in Self.sizes.enumerated() {
                for most in [0, 1, 3, 255] as [UInt8] {
                    let rows = Self.picture(model, width, height, seed: UInt64(seed), most: most)
                    let png = try rows.encoded(effort)
                    let read = try #require(try PNGRows(png))
                    #expect(read.bitmap == rows.bitmap)
                    let wanted = try await codec.bitmap(of: .bytes(png))
                    #expect(rows.bitmap == wanted)
                }
            }
        }
    }

    @Test(arguments: models)
    func `rows of all filters come back exactly`(_ model: SampleLayout.Model) throws {
        // Slopes of different directions, steps, and noise: each filter is the best for some row.
        let channels = model.channels
        let rows = (0..<200).map { y in
            (0..<150 * channels).map { i -> UInt8 in
                let x = i / channels
                switch y / 20 % 5 {
                case 0: return UInt8(truncatingIfNeeded: x * 3 + i % channels)
                case 1: return UInt8(truncatingIfNeeded: y * 9 + x / 40)
                case 2: return UInt8(truncatingIfNeeded: x * 2 + y * 5)
                case 3: return UInt8(truncatingIfNeeded: (x * y) >> 3 &* 31)
                default: return UInt8(truncatingIfNeeded: (x ^ y) &* 41)
                }
            }
        }
        let picture = PNGRows(model, PixelSize(width: 150, height: 200), rows)
        let png = try picture.encoded(.fast)
        let read = try #require(try PNGRows(png))
        #expect(read.bitmap == picture.bitmap)
    }

    @Test func `few colours get a palette, as small as it may be`() throws {
        for (colours, depth) in [(2, 1), (3, 2), (4, 2), (5, 4), (16, 4), (17, 8), (256, 8)] {
            let png = try Self.striped(colours).encoded()
            #expect(Array(png[24...25]) == [UInt8(depth), 3], "\(colours) colours")
        }
        #expect(try Array(Self.striped(257).encoded()[24...25]) == [8, 2])
    }

    @Test func `grey stays grey, with fewer bits where they are enough`() throws {
        for (greys, depth) in [([0, 255], 1), ([0, 85, 170], 2), ([17, 34, 255], 4), ([0, 1], 8)]
            as [([UInt8], Int)]
        {
            for channels in [1, 3] {
                let row = (0..<40).flatMap { [UInt8](repeating: greys[$0 % greys.count], count: channels) }
                let picture = PNGRows(
                    channels == 1 ? .grey : .rgb,
                    PixelSize(width: 40, height: 3),
                    [row, row, row]
                )
                let png = try picture.encoded()
                #expect(Array(png[24...25]) == [UInt8(depth), 0])
                let read = try #require(try PNGRows(png))
                #expect(read.bitmap == picture.bitmap)
            }
        }
    }

    @Test func `an alpha that is opaque everywhere is left out`() throws {
        for (model, kind) in [(SampleLayout.Model.greyAlpha, 0), (.rgba, 2)] {
            var rows = Self.picture(model, 60, 60, seed: 4, most: 255)
            for y in rows.rows.indices {
                for x in 0..<60 { rows.rows[y][x * model.channels + model.channels - 1] = 255 }
            }
            #expect(try rows.encoded()[25] == UInt8(kind))
            rows.rows[59][60 * model.channels - 1] = 254
            #expect(try rows.encoded()[25] == UInt8(kind + 4))
        }
    }

    @Test func `transparent colours of a palette keep their alpha and their colour`() async throws {
        let pixels: [[UInt8]] = [[1, 2, 3, 255], [9, 9, 8, 0], [4, 5, 6, 255], [7, 7, 1, 128]]
        let row = (0..<64).flatMap { pixels[$0 * 7 % 4] }
        let picture = PNGRows(.rgba, PixelSize(width: 64, height: 2), [row, row])
        let png = try picture.encoded()
        #expect(Array(png[24...25]) == [2, 3])
        try await withImageCodec { codec in
            let read = try await codec.bitmap(of: .bytes(png))
            #expect(read == picture.bitmap)
        }
    }

    @Test func `a picture larger than what is held comes back exactly`() throws {
        // 9 MB of rows of few colours, with an opaque alpha: neither is known before the end.
        let row = (0..<1500).flatMap { (x: Int) -> [UInt8] in [UInt8(x % 7), UInt8(x % 3), 9, 255] }
        let rows = [[UInt8]](repeating: row, count: 1500)
        let picture = PNGRows(.rgba, PixelSize(width: 1500, height: 1500), rows)
        let png = try picture.encoded()
        #expect(png[25] == 6)
        let read = try #require(try PNGRows(png))
        #expect(read.rows == rows)
    }

    @Test func `line art is not larger than libvips' PNG, noise hardly larger than its pixels`() async throws
    {
        try await withImageCodec { codec in
            let art = PNGRows(.rgb, PixelSize(width: 400, height: 300), Self.drawing(400, 300))
            let reference = try await codec.encode(art.bitmap, as: .png)
            #expect(try art.encoded().count <= reference.count)
            let noisy = Self.picture(.rgb, 300, 300, seed: 5, most: 255)
            #expect(try noisy.encoded().count < 300 * 900 + 2000)
        }
    }

    /// A picture of random samples.
    static func picture(
        _ model: SampleLayout.Model,
        _ width: Int,
        _ height: Int,
        seed: UInt64,
        most: UInt8
    ) -> PNGRows {
        var random = SplitMix64(seed: seed)
        let rows = (0..<height).map { _ in
            (0..<width * model.channels).map { _ in UInt8.random(in: 0...most, using: &random) }
        }
        return PNGRows(model, PixelSize(width: width, height: height), rows)
    }

    /// Upright stripes of so many colours.
    private static func striped(_ colours: Int) -> PNGRows {
        let row = (0..<600).flatMap { (x: Int) -> [UInt8] in
            [UInt8(x % colours % 256), UInt8(x % colours / 256), 1]
        }
        return PNGRows(.rgb, PixelSize(width: 600, height: 8), [[UInt8]](repeating: row, count: 8))
    }

    /// Soft-edged circles on white: more than 256 colours.
    private static func drawing(_ width: Int, _ height: Int) -> [[UInt8]] {
        (0..<height).map { y in
            (0..<width).flatMap { x -> [UInt8] in
                let (dx, dy) = (x % 100 - 50, y % 100 - 50)
                let inside = max(0, min(255, (1600 - dx * dx - dy * dy) * 4))
                let hue = x / 100 * 30 + y / 100 * 70
                return [UInt8(255 - inside), UInt8(255 - inside * hue / 255), UInt8(255 - inside / 2)]
            }
        }
    }
}
