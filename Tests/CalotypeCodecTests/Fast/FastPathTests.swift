import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

@Suite(.timeLimit(.minutes(1)))
struct FastPathTests {
    private static let small = Transform.fit(24, 24)

    @Test(arguments: [ImageFormat.jpeg, .png, .webp], [OutputFormat.jpeg, .png, .webp, .avif])
    func `the common formats take the fast path whatever is written`(
        _ source: ImageFormat,
        _ output: OutputFormat
    ) async throws {
        try await withImageCodec { codec in
            let bytes = try await codec.encode(fourCorners(64, 48), as: source)
            let made = try await codec.renditions(of: .bytes(bytes), as: [RenditionSpec(Self.small, output)])
            #expect(made.map(\.decoder) == [.fast])
        }
    }

    @Test(
        arguments: [(.gif, "GIF"), (.tiff, "TIFF"), (.avif, "AVIF"), (.heic, "HEIC")]
            as [(ImageFormat, String)]
    )
    func `other formats are left to libvips, and the picture says why`(
        _ format: ImageFormat,
        _ reason: String
    ) async throws {
        try await withImageCodec { codec in
            let bytes = try await codec.encode(fourCorners(64, 48), as: format)
            let made = try await codec.renditions(of: .bytes(bytes), as: [RenditionSpec(Self.small, .jpeg)])
            #expect(made.map(\.decoder) == [.libvips(reason: reason)])
        }
    }

    @Test func `an enlargement of more than eight times is left to libvips`() async throws {
        try await withImageCodec { codec in
            let bytes = try await codec.encode(fourCorners(10, 10), as: .png)
            let specs = [80, 81].map { RenditionSpec(.fit($0, $0, enlarges: true), .jpeg) }
            let modest = try await codec.renditions(of: .bytes(bytes), as: [specs[0]])
            let huge = try await codec.renditions(of: .bytes(bytes), as: [specs[1]])
            #expect(modest.map(\.decoder) == [.fast])
            #expect(huge.map(\.decoder) == [.libvips(reason: "enlarged more than 8 times")])
        }
    }

    @Test func `a codec can use libvips only, and the original bytes of a source need no decoder`()
        async throws
    {
        var configuration = ImageCodecConfiguration()
        configuration.usesLibvipsOnly = true
        try await withImageCodec(configuration) { codec in
            let bytes = try await codec.encode(fourCorners(64, 48), as: .jpeg)
            let specs = [RenditionSpec(Self.small, .jpeg), RenditionSpec(.none, .original)]
            let made = try await codec.renditions(of: .bytes(bytes), as: specs)
            #expect(made.map(\.decoder) == [.libvips(reason: "asked for"), nil])
        }
    }

    @Test(
        arguments: [
            (.fast, 256, 4), (.balanced, 256, 6), (.best, 256, 8), (.fast, 512, 8), (.balanced, 64, 2),
            (.balanced, 512, 8), (.fast, 64, 1),
        ] as [(Effort, Int, Int)]
    )
    func `a decoder gives as few pixels as the effort allows`(
        _ effort: Effort,
        _ side: Int,
        _ scale: Int
    ) {
        let facts = ImageFacts(format: .jpeg, storedSize: PixelSize(width: 800, height: 600))
        let plan = FastPlan([.pixels(.fit(side, side).effort(effort))], of: facts, EighthsSource())
        #expect(plan.scale == scale)
    }

    @Test func `one decode serves all sizes at the scale of the largest, and each size is scaled once`() {
        let (small, large) = (Transform.fit(64, 64), Transform.fit(256, 256))
        let specs = [RenditionSpec(small, .jpeg), RenditionSpec(large, .jpeg), RenditionSpec(small, .webp)]
        let facts = ImageFacts(format: .jpeg, storedSize: PixelSize(width: 800, height: 600))
        let plan = FastPlan(specs.map { .encoded($0) }, of: facts, EighthsSource())
        #expect(plan.scale == 6)
        #expect(plan.renditions.map(\.transform) == [small, large])
        #expect(plan.renditions.map(\.specs.count) == [2, 1])
        #expect(plan.isAveraged)
    }

    @Test(
        arguments: [(.balanced, 256, true), (.balanced, 400, false), (.fast, 400, true), (.best, 64, false)]
            as [(Effort, Int, Bool)]
    )
    func `pixels are averaged if there are as many as the effort requires`(
        _ effort: Effort,
        _ side: Int,
        _ isAveraged: Bool
    ) {
        let facts = ImageFacts(format: .jpeg, storedSize: PixelSize(width: 800, height: 600))
        let plan = FastPlan([.pixels(.fit(side, side).effort(effort))], of: facts, EighthsSource())
        #expect(plan.isAveraged == isAveraged)
    }

    @Test(arguments: [false, true], [Duration.zero, .milliseconds(1)])
    func `a decode that takes longer than it may is stopped, with the limit named`(
        _ usesLibvipsOnly: Bool,
        _ limit: Duration
    ) async throws {
        var configuration = ImageCodecConfiguration()
        configuration.usesLibvipsOnly = usesLibvipsOnly
        try await withImageCodec(configuration) { codec in
            // 6 ms and more.
            let bytes = try await codec.encode(noise(1000, 1000), as: .png)
            let spec = RenditionSpec(Self.small, .jpeg)
            var limits = ImageLimits()
            limits.decodeTime = limit
            var error: CalotypeError?
            do {
                _ = try await codec.renditions(of: .bytes(bytes), as: [spec], limits: limits)
            } catch let refusal as CalotypeError {
                error = refusal
            }
            #expect(error?.code == .timeoutDecode)
            #expect(error?.message.contains("\(limit)") == true)
            #expect(codec.coreUse.used == 0)
            #expect(codec.memoryUse.used == 0)
        }
    }
}

/// A source that is never decoded.
private struct EighthsSource: FastSource {
    let profile: [UInt8] = []
    let model = SampleLayout.Model.rgb
    let scales = Array(1...8)

    func decoderBytes(scale: Int) -> Int { 0 }

    func decoder(
        scale: Int,
        acceptsTruncated: Bool,
        isCancelled: @escaping () -> Bool
    ) throws -> any RowDecoder {
        throw CancellationError()
    }
}
