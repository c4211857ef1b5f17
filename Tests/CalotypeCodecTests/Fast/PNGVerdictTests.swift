import CalotypeCore
import Testing

@testable import CalotypeCodec

/// Which PNGs the fast path takes.
@Suite
struct PNGVerdictTests {
    private static let plain = PNGMaker(4, 3, colour: 2)

    @Test func `what is unusual is left to libvips, with the reason`() throws {
        var interlaced = Self.plain.png
        interlaced[28] = 1
        let ends = HandMade.big(Int(HandMade.crc(Array(interlaced[12..<29]))), 4)
        interlaced.replaceSubrange(29..<33, with: ends)
        #expect(try reason(interlaced) == "interlaced")
        let deep = HandMade.png(width: 2, height: 1, colour: 0, depth: 16, samples: [1, 2])
        #expect(try reason(deep) == "16 bits a channel")
        #expect(try reason(with("acTL", HandMade.big(1, 4) + HandMade.big(0, 4))) == "animated")
        #expect(try reason(with("ABCD", [])) == "unusual chunks")
        #expect(try reason(with("a1cd", [])) == "unusual chunks")
        #expect(try reason(with("aBCD", [1, 2, 3])) == nil)
        var damaged = Self.plain.png
        damaged[30] ^= 1
        #expect(try reason(damaged) == "unusual chunks")
    }

    @Test func `palettes and transparencies that do not fit are left to libvips`() throws {
        for (colour, palette, transparency) in [
            (3, 0, 0), (3, 4, 0), (3, 3 * 257, 0), (3, 6, 3), (0, 3, 0), (4, 3, 0), (0, 0, 1), (2, 0, 2),
            (4, 0, 2), (6, 0, 6),
        ] {
            var maker = PNGMaker(4, 3, colour: colour, most: 1)
            maker.palette = [UInt8](repeating: 9, count: palette)
            maker.transparency = [UInt8](repeating: 9, count: transparency)
            #expect(try reason(maker.png) == "unusual chunks", "\(colour), \(palette), \(transparency)")
        }
        var maker = PNGMaker(4, 3, colour: 3, most: 1)
        maker.palette = [1, 2, 3, 4, 5, 6]
        maker.before = [("tRNS", [7])]
        #expect(try reason(maker.png) == "unusual chunks")
        maker.before = [("PLTE", maker.palette)]
        #expect(try reason(maker.png) == "unusual chunks")
        // A suggestion of colours for pictures that need none.
        maker = Self.plain
        maker.palette = [1, 2, 3]
        #expect(try reason(maker.png) == nil)
    }

    @Test func `a profile that fits is given, others are ignored as by libpng`() async throws {
        let colour = HandMade.profile(HandMade.displayP3)
        let grey = HandMade.profile(HandMade.displayP3, space: "GRAY")
        for (kind, profile, isTaken) in [
            (2, colour, true), (0, colour, false), (0, grey, true), (6, grey, false),
        ] {
            let png = HandMade.png(PNGMaker(4, 3, colour: kind).png, profile: profile)
            #expect(try PNGDecoderTests.taken(png).profile == (isTaken ? profile : []))
        }
        try await withImageCodec { codec in
            for (kind, profile) in [
                (UInt8(2), Array(colour.dropLast(40))), (2, [1, 2, 3]), (0, colour), (6, grey),
                (2, [UInt8](repeating: 0, count: 200)), (2, HandMade.big(0, 2) + colour),
            ] {
                let png = HandMade.png(PNGMaker(4, 3, colour: Int(kind)).png, profile: profile)
                let rows = try #require(try PNGRows(png))
                #expect(try PNGDecoderTests.taken(png).profile == [])
                let wanted = try await codec.bitmap(of: .bytes(png))
                #expect(rows.bitmap == wanted)
            }
        }
        let long = HandMade.big(5 << 20, 4) + [UInt8](repeating: 0, count: 200)
        #expect(try reason(HandMade.png(Self.plain.png, profile: long)) == "large colour profile")
        let both = HandMade.png(
            HandMade.png(Self.plain.png, profile: colour),
            inserting: "sRGB",
            [0]
        )
        #expect(try reason(both) == "two colour spaces")
        var late = PNGMaker(4, 3, colour: 3, most: 1)
        late.before = [
            ("PLTE", [1, 2, 3, 4, 5, 6]), ("iCCP", Array("p".utf8) + [0, 0] + HandMade.stored(colour)),
        ]
        #expect(try reason(late.png) == "unusual chunks")
    }

    @Test func `gAMA, cHRM and sRGB change nothing, as in libvips`() async throws {
        try await withImageCodec { codec in
            let wanted = try await codec.bitmap(of: .bytes(Self.plain.png))
            var maker = Self.plain
            let white = [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6000]
            for chunks in [
                [("gAMA", HandMade.big(100_000, 4))], [("cHRM", white.flatMap { HandMade.big($0, 4) })],
                [("sRGB", [UInt8(1)])],
            ] {
                maker.before = chunks.map { (kind: $0.0, content: $0.1) }
                let rows = try #require(try PNGRows(maker.png))
                #expect(rows.bitmap == wanted)
                let reference = try await codec.bitmap(of: .bytes(maker.png))
                #expect(rows.bitmap == reference)
            }
        }
    }

    /// Why `png` is left to libvips; `nil` where it is not.
    private func reason(_ png: [UInt8]) throws -> String? {
        let facts = ImageFacts(format: .png, storedSize: PixelSize(width: 4, height: 3))
        guard case .left(let reason) = try PNGSource.verdict(.memory(png), facts) else { return nil }
        return reason
    }

    private func with(_ kind: String, _ content: [UInt8]) -> [UInt8] {
        HandMade.png(Self.plain.png, inserting: kind, content)
    }
}
