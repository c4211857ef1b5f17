import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

/// PNGs that are cut or damaged: an error, or the picture that libvips makes of them.
@Suite(.timeLimit(.minutes(3)))
struct PNGDamageTests {
    private static let small: PNGMaker = {
        var maker = PNGMaker(13, 11, colour: 6, seed: 9)
        maker.filters = [4, 4, 1, 2, 3, 0]
        maker.pieces = [100, 3, 200]
        return maker
    }()

    @Test func `every cut is an error, or the rows that came where that is accepted`() throws {
        let whole = Self.small.png
        let rows = try #require(try PNGRows(whole))
        for length in 8..<whole.count {
            let cut = Array(whole.prefix(length))
            let isComplete = length >= whole.count - HandMade.pngEnd.count
            #expect(
                failure { _ = try PNGRows(cut) } == (isComplete ? nil : .truncatedImage),
                "\(length) bytes"
            )
            guard let partial = try? PNGRows(cut, acceptsTruncated: true) else { continue }
            #expect(partial.rows.count == 11)
            let came = zip(partial.rows, rows.rows).prefix { $0 == $1 }.count
            #expect(partial.isPartial == (came < 11))
            #expect(partial.rows.dropFirst(came).allSatisfy { $0.allSatisfy { $0 == 0 } })
            if length > whole.count - 100 { #expect(came > 7) }
        }
    }

    @Test func `missing rows of a picture without alpha are grey`() throws {
        let whole = PNGMaker(10, 10, colour: 2).png
        let partial = try #require(try PNGRows(Array(whole.prefix(whole.count / 2)), acceptsTruncated: true))
        #expect(partial.isPartial)
        #expect(partial.rows.last == [UInt8](repeating: 128, count: 30))
    }

    @Test func `a wrong check sum of the data is damage`() throws {
        var png = Self.small.png
        png[png.count - 16] ^= 1
        #expect(failure { _ = try PNGRows(png) } == .corruptImage)
        #expect(failure { _ = try PNGRows(png, acceptsTruncated: true) } == .corruptImage)
    }

    @Test func `a filter that does not exist is damage`() throws {
        var maker = Self.small
        maker.filters = [0, 0, 5]
        #expect(failure { _ = try PNGRows(maker.png) } == .corruptImage)
    }

    @Test func `too few rows are damage, more data than rows is none`() async throws {
        var maker = Self.small
        maker.pieces = []
        let filtered = maker.filtered
        let data = maker.head
        let short =
            data + HandMade.chunk("IDAT", HandMade.stored(Array(filtered.dropLast(1)))) + HandMade.pngEnd
        #expect(failure { _ = try PNGRows(short) } == .corruptImage)
        #expect(failure { _ = try PNGRows(short, acceptsTruncated: true) } == .corruptImage)
        let long = data + HandMade.chunk("IDAT", HandMade.stored(filtered + filtered)) + HandMade.pngEnd
        let rows = try #require(try PNGRows(long))
        try await withImageCodec { codec in
            let wanted = try await codec.bitmap(of: .bytes(long))
            #expect(rows.bitmap == wanted)
            let reference = await code { _ = try await codec.bitmap(of: .bytes(short)) }
            #expect(reference == .corruptImage)
        }
    }

    @Test func `the data's own check sum is not looked at, as in libvips`() async throws {
        var maker = Self.small
        maker.pieces = []
        var stream = HandMade.stored(maker.filtered)
        stream[stream.count - 1] ^= 1
        let png = maker.head + HandMade.chunk("IDAT", stream) + HandMade.pngEnd
        let rows = try #require(try PNGRows(png))
        try await withImageCodec { codec in
            let wanted = try await codec.bitmap(of: .bytes(png))
            #expect(rows.bitmap == wanted)
        }
    }

    @Test(arguments: [0, 1, 2])
    func `changed bytes give an error or libvips' picture`(_ seed: Int) async throws {
        var random = SplitMix64(seed: UInt64(seed))
        var limits = ImageLimits()
        limits.pixels = 100_000
        limits.streamedPixels = 100_000
        var maker = Self.small
        if seed == 1 { maker.before = [("iCCP", Array("p".utf8) + [0, 0] + Self.profile)] }
        if seed == 2 {
            maker = PNGMaker(30, 9, colour: 3, depth: 4, seed: 8)
            maker.palette = PNGDecoderTests.palette(16)
            maker.transparency = [1, 2, 3]
        }
        let whole = maker.png
        try await withImageCodec { codec in
            var pictures = 0
            for _ in 0..<1200 {
                var png = whole
                png[Int.random(in: 8..<png.count, using: &random)] = .random(in: 0...255, using: &random)
                if let offset = Self.wrongCheckSum(png), Bool.random(using: &random) {
                    // Half of them get past the check sums.
                    Self.mend(&png, at: offset)
                }
                guard let facts = try? ImageProbe.facts(of: .bytes(png)),
                    facts.storedSize.pixelCount < 100_000
                else { continue }
                let wanted = try? await codec.bitmap(of: .bytes(png), limits: limits)
                do {
                    guard let rows = try PNGRows(png), let wanted else { continue }
                    // A changed profile changes what libvips makes of the rows.
                    if facts.profile == nil { #expect(rows.bitmap == wanted) }
                    pictures += 1
                } catch {
                    #expect(wanted == nil, "\(error)")
                }
            }
            #expect(pictures > 50)
        }
    }

    private static let profile = HandMade.stored(HandMade.profile(HandMade.sRGB))

    /// Where the first chunk is whose check sum is wrong.
    private static func wrongCheckSum(_ png: [UInt8]) -> Int? {
        var offset = 8
        while offset + 12 <= png.count {
            let length = png[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            guard offset + 12 + length <= png.count else { return nil }
            let end = offset + 8 + length
            let stored = png[end..<end + 4].reduce(0) { $0 << 8 | UInt32($1) }
            if HandMade.crc(Array(png[offset + 4..<end])) != stored { return offset }
            offset = end + 4
        }
        return nil
    }

    private static func mend(_ png: inout [UInt8], at offset: Int) {
        let length = png[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        let end = offset + 8 + length
        png.replaceSubrange(
            end..<end + 4,
            with: HandMade.big(Int(HandMade.crc(Array(png[offset + 4..<end]))), 4)
        )
    }

    private func failure(_ body: () throws -> Void) -> ErrorCode? {
        do {
            try body()
            return nil
        } catch {
            return (error as? CalotypeError)?.code
        }
    }
}
