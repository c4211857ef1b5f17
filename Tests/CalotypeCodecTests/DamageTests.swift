import CalotypeCodec
import CalotypeCore
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(2)))
struct DamageTests {
    private static let damage: Set<ErrorCode> = [.truncatedImage, .corruptImage, .unsupportedFormat]

    @Test(arguments: ImageFormat.encodable)
    func `a cut picture is an error and never a grey picture`(_ format: ImageFormat) async throws {
        try await withEachCodec { codec in
            let whole = try await codec.encode(noise(120, 90), as: format)
            var cuts = stride(from: 1, to: 20, by: 1).map { whole.count * $0 / 20 }
            cuts += [whole.count - 1, whole.count - 2]
            for cut in cuts {
                for transform in [Transform.none, .fit(30, 30), .fill(10, 10)] {
                    let spec = RenditionSpec(transform, .png)
                    let found = await code {
                        _ = try await codec.renditions(of: .bytes(Array(whole.prefix(cut))), as: [spec])
                    }
                    // Without its trailer, all of the picture is still there.
                    let trailer: [ImageFormat: Int] = [.gif: 1, .jpeg: 2, .png: 12]
                    if cut >= whole.count - (trailer[format] ?? 0) { continue }
                    let isDamaged = found.map(Self.damage.contains) ?? false
                    #expect(isDamaged, "\(cut) of \(whole.count) bytes: \(found?.rawValue ?? "a picture")")
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `a JPEG whose cut was filled up to its right length is damaged or whole, not both`(
        _ isProgressive: Bool
    ) async throws {
        try await withEachCodec { codec in
            var options = EncodeOptions()
            options.isProgressive = isProgressive
            let whole = try await codec.encode(noise(200, 200), as: .jpeg, options: options)
            let half = Array(whole.prefix(whole.count / 2))
            #expect(
                await code { _ = try await codec.bitmap(of: .bytes(half), .fill(8, 2)) } == .truncatedImage
            )
        }
    }

    @Test(arguments: ImageFormat.encodable)
    func `a growing prefix shows nothing, then what the whole file shows`(_ format: ImageFormat) async throws
    {
        try await withEachCodec { codec in
            let whole = try await codec.encode(noise(60, 40), as: format)
            var facts = try #require(try codec.probe(whole, isComplete: true))
            if let seen = try codec.probe(whole, isComplete: false) { facts.frames = seen.frames }
            var firstTold: Int?
            for count in 0...whole.count {
                let told = try codec.probe(Array(whole.prefix(count)), isComplete: false)
                guard let told else {
                    #expect(firstTold == nil, "told by \(firstTold ?? 0) bytes but not by \(count)")
                    continue
                }
                firstTold = firstTold ?? count
                #expect(told == facts)
            }
            #expect(firstTold != nil)
        }
    }

    @Test(arguments: ImageFormat.encodable)
    func `changed bytes never trap the header reader, nor the decoder`(
        _ format: ImageFormat
    ) async throws {
        try await withEachCodec { codec in
            let whole = try await codec.encode(noise(40, 30), as: format)
            var random = SplitMix64(seed: 12)
            for round in 0..<3000 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let reach = round % 2 == 0 ? min(400, bytes.count) : bytes.count
                    bytes[Int.random(in: 0..<reach, using: &random)] = .random(in: 0...255, using: &random)
                }
                if round % 5 == 0 {
                    bytes = Array(bytes.prefix(.random(in: 0...bytes.count, using: &random)))
                }
                _ = try? codec.probe(bytes, isComplete: round % 3 == 0)
                _ = try? ImageProbe.facts(of: .bytes(bytes))
                guard round % 20 == 0 else { continue }
                var limits = ImageLimits()
                limits.pixels = 100_000
                limits.streamedPixels = 100_000
                let spec = RenditionSpec(.fit(8, 8), .png)
                _ = try? await codec.renditions(of: .bytes(bytes), as: [spec], limits: limits)
            }
        }
    }

    @Test func `a PNG of 65,000 by 65,000 is refused before it is decoded`() async throws {
        try await withEachCodec { codec in
            let bomb =
                HandMade.png(
                    HandMade.pngHead(width: 65_000, height: 65_000) + [UInt8](repeating: 0, count: 14),
                    inserting: "tEXt",
                    [65, 0, 66]
                )
                + HandMade.pngEnd
            let spec = RenditionSpec(.fit(10, 10), .jpeg)
            #expect(
                await code { _ = try await codec.renditions(of: .bytes(bomb), as: [spec]) } == .tooManyPixels
            )
        }
    }

    @Test func `the limits hold for what is made and for what is held, too`() async throws {
        try await withEachCodec { codec in
            let jpeg = try await codec.encode(fourCorners(200, 100), as: .jpeg)
            var limits = ImageLimits()
            limits.pixels = 10_000
            let one = [RenditionSpec(.fit(10, 10), .jpeg)]
            let made = try await codec.renditions(of: .bytes(jpeg), as: one, limits: limits)
            #expect(made.count == 1)
            let large = [RenditionSpec(.fit(400, 400, enlarges: true), .jpeg)]
            #expect(
                await code { _ = try await codec.renditions(of: .bytes(jpeg), as: large, limits: limits) }
                    == .tooManyPixels
            )
            limits.sourceBytes = ByteCount(jpeg.count - 1)
            #expect(
                await code { _ = try await codec.renditions(of: .bytes(jpeg), as: one, limits: limits) }
                    == .tooManyBytes
            )
        }
    }

    @Test func `an invalid profile is ignored`() async throws {
        try await withEachCodec { codec in
            let jpeg = try await codec.encode(fourCorners(80, 80), as: .jpeg)
            let garbage = Array("ICC_PROFILE".utf8) + [0, 1, 1] + [UInt8](repeating: 0xA5, count: 400)
            let spoiled = HandMade.jpeg(jpeg, marker: 0xE2, segment: garbage)
            #expect(try await codec.facts(of: .bytes(spoiled)).profile == "unnamed")
            for transform in [Transform.none, .fit(40, 40)] {
                #expect(try await codec.bitmap(of: .bytes(spoiled), transform).corners == uprightCorners)
            }
        }
    }

    @Test func `what follows a JPEG's end does no harm`() async throws {
        try await withEachCodec { codec in
            let jpeg = try await codec.encode(fourCorners(80, 80), as: .jpeg)
            let trailed = jpeg + [UInt8](repeating: 0, count: 5000) + Array("trailer".utf8)
            #expect(try await codec.bitmap(of: .bytes(trailed)).corners == uprightCorners)
        }
    }
}
