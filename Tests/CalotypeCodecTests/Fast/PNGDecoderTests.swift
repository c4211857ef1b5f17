import CalotypeCore
import Testing

@testable import CalotypeCodec

/// The fast PNG decoder against libvips.
@Suite(.timeLimit(.minutes(2)))
struct PNGDecoderTests {
    /// All colour types with all depths of 8 bits and below.
    static let kinds: [(colour: Int, depth: Int)] = [
        (0, 1), (0, 2), (0, 4), (0, 8), (2, 8), (3, 1), (3, 2), (3, 4), (3, 8), (4, 8), (6, 8),
    ]
    private static let widths = [1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 33]
    private static let filters = [[0], [1], [2], [3], [4], [0, 1, 2, 3, 4], [4, 4, 4, 1, 4, 4, 2], [3, 4]]

    @Test(arguments: kinds, filters)
    func `every colour type, depth and filter gives libvips' pixels`(
        kind: (colour: Int, depth: Int),
        filters: [Int]
    ) async throws {
        try await withImageCodec { codec in
            for (seed, width) in Self.widths.enumerated() {
                var maker = PNGMaker(width, 7, colour: kind.colour, depth: kind.depth, seed: UInt64(seed))
                maker.filters = filters
                if kind.colour == 3 { maker.palette = Self.palette(1 << kind.depth) }
                let rows = try #require(try PNGRows(maker.png))
                let wanted = try await codec.bitmap(of: .bytes(maker.png))
                #expect(rows.bitmap == wanted)
                #expect(!rows.isPartial)
            }
        }
    }

    @Test(arguments: [1, 2, 4, 8])
    func `a transparent grey or colour, and a palette's alphas, give libvips' pixels`(
        _ depth: Int
    ) async throws {
        let greys = PNGMaker(19, 6, colour: 0, depth: depth, seed: 3)
        var makers: [PNGMaker] = []
        // Only the lower bits of a transparent grey count.
        for grey in [greys.samples[0], greys.samples[5] | 0x7F00, 0xFFFF] {
            var maker = greys
            maker.transparency = HandMade.big(grey, 2)
            makers.append(maker)
        }
        for alphas in [1, 2] {
            var maker = PNGMaker(19, 6, colour: 3, depth: depth, seed: 4)
            maker.palette = Self.palette(1 << depth)
            maker.transparency = [UInt8](repeating: 77, count: alphas)
            makers.append(maker)
        }
        var colours = PNGMaker(9, 6, colour: 2, seed: 5, most: 1)
        colours.transparency = [9, 1, 0, 0, 0, 1]
        makers.append(colours)
        try await withImageCodec { codec in
            for maker in makers {
                let rows = try #require(try PNGRows(maker.png))
                #expect(rows.model.hasAlpha)
                let wanted = try await codec.bitmap(of: .bytes(maker.png))
                #expect(rows.bitmap == wanted)
            }
        }
    }

    @Test func `colours that the palette does not have are black`() async throws {
        try await withImageCodec { codec in
            for transparency in [[], [UInt8(10), 20]] {
                var maker = PNGMaker(20, 4, colour: 3, seed: 6, most: 9)
                maker.palette = Self.palette(3)
                maker.transparency = transparency
                let rows = try #require(try PNGRows(maker.png))
                let wanted = try await codec.bitmap(of: .bytes(maker.png))
                #expect(rows.bitmap == wanted)
            }
        }
    }

    @Test(arguments: [[1], [2], [3, 0, 5], [0, 0, 7], [1000], [11, 65_536]])
    func `several chunks of data, empty ones too, are one stream`(_ pieces: [Int]) async throws {
        var maker = PNGMaker(50, 40, colour: 2, seed: 7)
        maker.filters = [4, 4, 1, 2, 3]
        let whole = try #require(try PNGRows(maker.png))
        maker.pieces = pieces
        let rows = try #require(try PNGRows(maker.png))
        #expect(rows == whole)
        try await withTemporaryFile(maker.png) { path in
            let read = try #require(try PNGRows(.file(path: path)))
            #expect(read == whole)
        }
    }

    @Test func `compressed pictures of several blocks give libvips' pixels, from memory and from a file`()
        async throws
    {
        try await withImageCodec { codec in
            for bitmap in [noise(700, 300), fourCorners(600, 500), fourCorners(300, 900, alpha: 90)] {
                let png = try await codec.encode(bitmap, as: .png)
                let rows = try #require(try PNGRows(png))
                #expect(rows.bitmap == bitmap)
                try await withTemporaryFile(png) { path in
                    let read = try #require(try PNGRows(.file(path: path)))
                    #expect(read == rows)
                }
            }
        }
    }

    @Test func `pictures of which the last rows come after the last byte are whole`() async throws {
        try await withImageCodec { codec in
            for height in stride(from: 20, to: 500, by: 9) {
                let bitmap = fourCorners(height + 100, height)
                let png = try await codec.encode(bitmap, as: .png)
                let rows = try #require(try PNGRows(png))
                #expect(rows.bitmap == bitmap)
            }
        }
    }

    @Test func `a call gives a few rows, however many there are`() async throws {
        try await withImageCodec { codec in
            let png = try await codec.encode(noise(700, 300), as: .png)
            let decoder = try Self.taken(png).decoder(
                scale: 8,
                acceptsTruncated: false,
                isCancelled: { false }
            )
            var counts: [Int] = []
            var isMore = true
            while isMore {
                counts.append(0)
                isMore = try decoder.next { _, _ in counts[counts.count - 1] += 1 }
            }
            // 128 KiB of filtered rows.
            #expect(counts == [62, 62, 62, 62, 52])
        }
    }

    @Test func `memory is that of rows, not of the picture`() throws {
        var maker = PNGMaker(1, 1, colour: 2)
        (maker.width, maker.height) = (30_000, 30_000)
        let source = try Self.taken(maker.head + HandMade.chunk("IDAT", []))
        #expect((300_000..<1_000_000).contains(source.decoderBytes(scale: 8)))
    }

    static func taken(_ png: [UInt8]) throws -> any FastSource {
        let facts = ImageFacts(format: .png, storedSize: PixelSize(width: 1, height: 1))
        guard case .taken(let source) = try PNGSource.verdict(.memory(png), facts) else {
            throw CalotypeError(.unsupportedFormat, "left to libvips", stage: .decode)
        }
        return source
    }

    /// A palette of so many different colours.
    static func palette(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { (index: Int) -> [UInt8] in
            [UInt8(index), UInt8(255 - index), UInt8(index * 7 % 256)]
        }
    }
}
