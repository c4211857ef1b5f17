import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

@Suite(.timeLimit(.minutes(1)))
struct ColourConversionTests {
    /// Profiles of colours, by name.
    private static let colours: [(String, [UInt8])] = [
        ("Display P3", HandMade.profile(HandMade.displayP3)),
        ("Adobe RGB", HandMade.profile(HandMade.adobeRGB, curve: [2.2, 1, 0, 0, 0])),
        ("swapped", HandMade.profile([HandMade.sRGB[1], HandMade.sRGB[2], HandMade.sRGB[0]])),
        ("linear", HandMade.profile(HandMade.sRGB, curve: [1, 1, 0, 0, 0])),
        ("a table", HandMade.tableProfile()), ("a perceptual table", HandMade.tableProfile(intent: 0)),
    ]

    @Test(arguments: colours)
    func `colours become what libvips makes of them`(name: String, profile: [UInt8]) async throws {
        try await withReferenceCodec { codec in
            let (plain, managed) = try await pictures(codec, profile, blocks: Self.blocks)
            let difference = try converted(plain, profile, .rgba).difference(managed)
            #expect(difference <= 2, "\(name): \(difference)")
            // Else the test would show nothing.
            #expect(plain.difference(managed) > 10)
        }
    }

    @Test(arguments: [1.0, 1.8, 2.2, 3])
    func `greys become what libvips makes of them, and stay grey`(_ exponent: Double) async throws {
        try await withReferenceCodec { codec in
            let profile = HandMade.greyProfile(exponent: exponent)
            let greys = (0..<64).map { [$0 * 4 + 3] }
            let (plain, managed) = try await pictures(codec, profile, blocks: greys)
            #expect(try converted(plain, profile, .grey).difference(managed) <= 2)
        }
    }

    @Test func `a profile of another model than the picture's is ignored, as libvips does`() async throws {
        let colours = HandMade.profile(HandMade.displayP3)
        let inks = HandMade.profile(HandMade.displayP3, space: "CMYK")
        try await withReferenceCodec { codec in
            for (profile, blocks) in [
                (colours, [[90], [200]]), (HandMade.greyProfile(), Self.blocks), (inks, Self.blocks),
                (inks, [[90], [200]]), ([UInt8](repeating: 7, count: 400), Self.blocks),
                (Array(colours.prefix(300)), Self.blocks),
            ] {
                let (plain, managed) = try await pictures(codec, profile, blocks: blocks)
                let model: SampleLayout.Model = blocks[0].count == 1 ? .grey : .rgba
                #expect(try converted(plain, profile, model).difference(managed) <= 2)
            }
        }
    }

    @Test(arguments: [SampleLayout.Model.rgba, .greyAlpha])
    func `alpha stays as it is`(_ model: SampleLayout.Model) throws {
        let isGrey = model == .greyAlpha
        let profile = isGrey ? HandMade.greyProfile(exponent: 1) : HandMade.profile(HandMade.displayP3)
        let conversion = try #require(ColourConversion(profile, model))
        let row = (0..<model.channels * 256).map { UInt8(truncatingIfNeeded: $0 * 37) }
        var changed = row
        var span = changed.mutableSpan
        conversion.convert(&span)
        let alphas = stride(from: model.channels - 1, to: row.count, by: model.channels)
        #expect(alphas.allSatisfy { changed[$0] == row[$0] })
        #expect(changed != row)
    }

    @Test func `what sRGB is by its numbers, and no profile, change nothing`() {
        let conversions = ColourConversions()
        for profile in [[], HandMade.profile(HandMade.sRGB)] {
            for model in [SampleLayout.Model.rgb, .grey] {
                guard case .taken(nil) = conversions.verdict(profile, model) else {
                    Issue.record("sRGB is converted")
                    continue
                }
            }
        }
    }

    @Test(arguments: ["link", "abst", "nmcl"])
    func `profiles of no device are left to libvips`(_ kind: String) {
        var profile = HandMade.profile(HandMade.displayP3)
        profile.replaceSubrange(12..<16, with: Array(kind.utf8))
        #expect(ColourConversions().verdict(profile, .rgb).isLeft)
    }

    @Test func `profiles that could take for ever are left to libvips`() {
        var chained = HandMade.profile(HandMade.displayP3)
        chained.replaceSubrange(132..<136, with: Array("D2B1".utf8))
        let large = HandMade.profile(HandMade.displayP3) + [UInt8](repeating: 0, count: 5 << 20)
        for profile in [chained, large] { #expect(ColourConversions().verdict(profile, .rgb).isLeft) }
    }

    @Test func `conversions are shared, and the least recently used ones are made again`() {
        let conversions = ColourConversions()
        let profiles = (0..<40).map {
            HandMade.profile(HandMade.displayP3, curve: [1 + Double($0) / 20, 1, 0, 0, 0])
        }
        for _ in 0..<2 {
            for profile in profiles {
                _ = conversions.verdict(profiles[0], .rgb)
                _ = conversions.verdict(profile, .rgb)
                #expect(conversions.count <= 16)
            }
        }
        #expect(conversions.has(profiles[0]) && conversions.has(profiles[39]))
        #expect(!conversions.has(profiles[1]))
    }

    @Test func `changed bytes of a profile never do harm`() async throws {
        var random = SplitMix64(seed: 5)
        let rgb = (0..<3 * 64).map { UInt8($0) }
        for whole in Self.colours.map(\.1).prefix(2) + [
            HandMade.tableProfile(grid: 3), HandMade.greyProfile(),
        ] {
            for _ in 0..<100 {
                var profile = whole
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    profile[.random(in: 0..<min(400, profile.count), using: &random)] = .random(
                        in: 0...255,
                        using: &random
                    )
                }
                for model in [SampleLayout.Model.rgb, .grey] {
                    guard case .taken(let conversion?) = ColourConversions().verdict(profile, model) else {
                        continue
                    }
                    var row = rgb
                    var span = row.mutableSpan
                    conversion.convert(&span)
                }
            }
        }
    }

    @Test func `many threads use one conversion`() async throws {
        let conversions = ColourConversions()
        let profile = HandMade.profile(HandMade.displayP3)
        let row = (0..<3 * 500).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let rows = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    guard case .taken(let conversion?) = conversions.verdict(profile, .rgb) else {
                        return []
                    }
                    var result = row
                    for _ in 0..<50 {
                        result = row
                        var span = result.mutableSpan
                        conversion.convert(&span)
                    }
                    return result
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(rows).count == 1 && rows[0] != row)
    }

    /// Colours all over the cube, as the samples that JPEG stores.
    private static let blocks = (0..<125).map { [$0 / 25 * 60 + 8, $0 / 5 % 5 * 60 + 8, $0 % 5 * 60 + 8] }

    /// The pixels of a picture of `blocks`, as they are stored and as libvips shows them with `profile`.
    private func pictures(
        _ codec: ImageCodec,
        _ profile: [UInt8],
        blocks: [[Int]]
    ) async throws -> (plain: Bitmap, managed: Bitmap) {
        let adobe: UInt8? = blocks[0].count == 1 ? nil : 0
        let jpeg = HandMade.flatJPEG(blocks, columns: blocks.count, adobe: adobe)
        let managed = HandMade.jpeg(jpeg, profile: profile)
        return (try await codec.bitmap(of: .bytes(jpeg)), try await codec.bitmap(of: .bytes(managed)))
    }

    /// The pixels of `plain` after the conversion of rows of `model`.
    private func converted(
        _ plain: Bitmap,
        _ profile: [UInt8],
        _ model: SampleLayout.Model
    ) throws -> Bitmap {
        guard case .taken(let conversion?) = ColourConversions().verdict(profile, model) else {
            return plain
        }
        var result = plain
        var samples = plain.rgba
        if model == .grey { samples = stride(from: 0, to: samples.count, by: 4).map { samples[$0] } }
        var span = samples.mutableSpan
        conversion.convert(&span)
        result.rgba = model == .grey ? samples.flatMap { [$0, $0, $0, 255] } : samples
        return result
    }
}

extension FastVerdict {
    fileprivate var isLeft: Bool {
        if case .left = self { true } else { false }
    }
}
