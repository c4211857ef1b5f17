import CalotypeCodec
import CalotypeCore
import TaskFlow
import Testing

/// Pictures that lack the mark of their end, and pictures that lack pixels.
@Suite(.timeLimit(.minutes(2)))
struct UnendedTests {
    private struct Kind: CustomStringConvertible, Sendable {
        let description: String
        let bytes: [UInt8]
        /// How many bytes at the end mark it.
        var end = 2
    }

    @Test func `a picture that lacks nothing but the mark of its end is a whole one`() async throws {
        try await withEachCodec { codec in
            for kind in try await Self.kinds(codec) {
                let pixels = try await codec.bitmap(of: .bytes(kind.bytes))
                let facts = try await codec.facts(of: .bytes(kind.bytes))
                for missing in 1...kind.end {
                    let unended = Array(kind.bytes.dropLast(missing))
                    #expect(try await codec.facts(of: .bytes(unended)) == facts, "\(kind)")
                    #expect(try await codec.bitmap(of: .bytes(unended)) == pixels, "\(kind)")
                    try await withTemporaryFile(unended) { path in
                        let told = try await codec.facts(of: .file(path: path))
                        let shown = try await codec.bitmap(of: .file(path: path))
                        #expect(told == facts && shown == pixels, "\(kind)")
                    }
                }
            }
        }
    }

    @Test func `passed on as it is, a picture gets the end that it lacked, and is no partial one`()
        async throws
    {
        try await withImageCodec { codec in
            var limits = ImageLimits()
            for accepts in [false, true] {
                limits.acceptsTruncated = accepts
                for kind in try await Self.kinds(codec).prefix(3) {
                    let made = try await codec.renditions(
                        of: .bytes(Array(kind.bytes.dropLast(kind.end))),
                        as: [RenditionSpec(.none, .original), RenditionSpec(.fit(20, 20), .png)],
                        limits: limits
                    )
                    #expect(made[0].bytes == kind.bytes, "\(kind)")
                    #expect(made.map(\.isPartial) == [false, false], "\(kind)")
                }
            }
        }
    }

    @Test func `what lacks pixels is truncated, wherever it was cut`() async throws {
        try await withEachCodec { codec in
            for kind in try await Self.kinds(codec) {
                let length = kind.bytes.count - kind.end
                // The last byte of all holds codes; of a PNG it is the check sum's.
                for cut in [length - 1, length - 2, length - 20] + (6..<10).map({ length * $0 / 10 }) {
                    let bytes = Array(kind.bytes.prefix(cut))
                    #expect(
                        await code { _ = try await codec.facts(of: .bytes(bytes)) } == .truncatedImage,
                        "\(kind), \(cut) of \(length)"
                    )
                    #expect(
                        await code { _ = try await codec.bitmap(of: .bytes(bytes)) } == .truncatedImage,
                        "\(kind), \(cut) of \(length)"
                    )
                }
            }
        }
    }

    @Test func `a progressive JPEG that lacks a scan is truncated, though what it has shows a picture`()
        async throws
    {
        try await withImageCodec { codec in
            var options = EncodeOptions()
            options.isProgressive = true
            let jpeg = try await codec.encode(noise(90, 70), as: .jpeg, options: options)
            let scans = jpeg.indices.dropLast().filter { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xDA }
            try #require(scans.count > 2)
            for scan in scans.dropFirst() {
                let cut = Array(jpeg.prefix(scan))
                #expect(await code { _ = try await codec.bitmap(of: .bytes(cut)) } == .truncatedImage)
            }
        }
    }

    @Test func `chunks or codes that nobody would miss are not taken for a whole picture`() async throws {
        try await withImageCodec { codec in
            // Nobody can tell how many of its codes are missing.
            let arithmetic = Array(ArithmeticJPEG.bytes.dropLast(2))
            #expect(await code { _ = try await codec.bitmap(of: .bytes(arithmetic)) } == .truncatedImage)
            var maker = PNGMaker(30, 20, colour: 2)
            maker.pieces = [300]
            let png = maker.png
            let chunks = png.indices.dropLast(4).filter { png[$0..<$0 + 4].elementsEqual("IDAT".utf8) }
            try #require(chunks.count > 3)
            for chunk in chunks.dropFirst() {
                let cut = Array(png.prefix(chunk - 4))
                let found = await code { _ = try await codec.bitmap(of: .bytes(cut)) }
                #expect(found == .truncatedImage, "\(cut.count) of \(png.count)")
            }
            // Frames of an animation may be missing.
            let animation = HandMade.png(png, inserting: "acTL", HandMade.big(2, 4) + HandMade.big(0, 4))
            #expect(
                await code { _ = try await codec.facts(of: .bytes(animation.dropLast(12))) }
                    == .truncatedImage
            )
        }
    }

    @Test func `a picture larger than the limits is refused before anybody looks for its end`() async throws {
        try await withImageCodec { codec in
            let bomb = HandMade.pngHead(width: 65_000, height: 65_000) + [UInt8](repeating: 0, count: 14)
            #expect(await code { _ = try await codec.bitmap(of: .bytes(bomb)) } == .tooManyPixels)
            #expect(await code { _ = try await codec.facts(of: .bytes(bomb)) } == .truncatedImage)
            #expect(codec.memoryUse.used == 0)
        }
    }

    private static func kinds(_ codec: ImageCodec) async throws -> [Kind] {
        var options = EncodeOptions()
        options.isProgressive = true
        let picture = noise(90, 70)
        let blocks = (0..<24).map { [10 * $0, 250 - 10 * $0, 5 * $0, 100] }
        let deep = HandMade.png(width: 40, height: 30, colour: 2, depth: 16, samples: Array(0..<3600))
        return [
            Kind(description: "JPEG", bytes: try await codec.encode(picture, as: .jpeg)),
            Kind(
                description: "progressive JPEG",
                bytes: try await codec.encode(picture, as: .jpeg, options: options)
            ),
            Kind(description: "PNG", bytes: try await codec.encode(picture, as: .png), end: 12),
            Kind(description: "CMYK JPEG", bytes: HandMade.flatJPEG(blocks, columns: 6, adobe: 0)),
            Kind(
                description: "interlaced PNG",
                bytes: try await codec.encode(picture, as: .png, options: options),
                end: 12
            ),
            Kind(description: "PNG of 16 bits", bytes: deep, end: 12),
        ]
    }
}
