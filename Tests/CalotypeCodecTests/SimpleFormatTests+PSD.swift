import CalotypeCore
import Testing

@testable import CalotypeCodec

/// The merged images of Photoshop documents.
extension SimpleFormatTests {
    /// A document of which `layers`, the number of its layers, may say that it is transparent.
    static func psd(
        _ width: Int,
        _ height: Int,
        mode: Int = 3,
        bits: Int = 8,
        channels: Int = 3,
        version: Int = 1,
        palette: [UInt8] = [],
        resources: [(kind: Int, contents: [UInt8])] = [],
        layers: Int? = nil,
        blocks: [UInt8] = [],
        compression: Int = 0,
        _ rows: [UInt8]
    ) -> [UInt8] {
        func big(_ value: Int, _ count: Int) -> [UInt8] { [UInt8](big: value, count) }
        let length = version == 2 ? 8 : 4
        var file = Array("8BPS".utf8)
        file += big(version, 2) + big(0, 6) + big(channels, 2)
        file += big(height, 4) + big(width, 4) + big(bits, 2) + big(mode, 2)
        var known: [UInt8] = []
        for (kind, contents) in resources {
            known += Array("8BIM".utf8) + big(kind, 2) + Array("\u{3}abc".utf8) + big(contents.count, 4)
            known += contents + [UInt8](repeating: 0, count: contents.count % 2)
        }
        let list = layers.map { big(2, length) + big($0, 2) } ?? big(0, length)
        let section = list + big(0, 4) + blocks
        file += big(palette.count, 4) + palette + big(known.count, 4) + known
        file += big(section.count, length) + section + big(compression, 2)
        return file + rows
    }

    @Test func `Photoshop documents of all modes are read`() async throws {
        try await check(Self.psd(2, 1, [255, 0, 0, 0, 0, 255]), [[Self.red, Self.blue]])
        try await check(Self.psd(2, 1, version: 2, [255, 0, 0, 0, 0, 255]), [[Self.red, Self.blue]])
        try await check(
            Self.psd(2, 1, bits: 16, [255, 255, 0, 0, 0, 127, 0, 0, 0, 0, 255, 128]),
            [[Self.red, Self.blue]]
        )
        for mode in [1, 8] {
            try await check(
                Self.psd(2, 1, mode: mode, channels: 1, [0, 255]),
                [[Self.black, Self.white]]
            )
        }
        try await check(
            Self.psd(3, 1, mode: 0, bits: 1, channels: 1, [0b1010_0000]),
            [[Self.black, Self.white, Self.black]]
        )
        let palette = [[255, 0, 0], [0, 255, 0], [0, 0, 255]]
            .flatMap { $0 + [Int](repeating: 7, count: 253) }.map { UInt8($0) }
        try await check(
            Self.psd(3, 1, mode: 2, channels: 1, palette: palette, [2, 0, 1]),
            [[Self.blue, Self.red, Self.green]]
        )
        // Without ink it is white.
        try await check(Self.psd(1, 1, mode: 4, channels: 4, [255, 255, 255, 255]), [[Self.white]])
        let facts = try ImageProbe.facts(
            of: .bytes(Self.psd(2, 1, bits: 16, [UInt8](repeating: 0, count: 12)))
        )
        #expect(facts.format == .psd && facts.bitDepth == 16 && !facts.hasAlpha && facts.profile == nil)
    }

    @Test func `compressed rows of a Photoshop document are read`() async throws {
        // Three rows of a byte, of five and of two: a run, three literals, and what means nothing.
        let rows: [UInt8] = [0xFE, 255] + [2, 0, 0, 0] + [0x80, 0xFE, 0]
        let lengths: [UInt8] = [0, 2, 0, 4, 0, 3]
        try await check(
            Self.psd(3, 1, compression: 1, lengths + rows),
            [[Self.red, Self.red, Self.red]]
        )
        let long: [UInt8] = [0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 3]
        try await check(
            Self.psd(3, 1, version: 2, compression: 1, long + rows),
            [[Self.red, Self.red, Self.red]]
        )
        let short: [UInt8] = [0, 2, 0, 2, 0, 2, 0xFE, 255, 0xFF, 0, 0xFE, 0]
        #expect(try await code(Self.psd(3, 1, compression: 1, short)) == .corruptImage)
    }

    @Test func `a fourth channel is alpha only if the document is transparent`() async throws {
        // Half transparent red on white; a pixel without colour; red.
        let samples: [UInt8] = [255, 255, 255, 127, 255, 0, 127, 255, 0, 128, 0, 255]
        let clear = [[[255, 0, 0, 128], Self.clear, Self.red]]
        let opaque: [[Colour]] = [[[255, 127, 127, 255], Self.white, Self.red]]
        func file(_ layers: Int?, _ blocks: String = "") -> [UInt8] {
            Self.psd(3, 1, channels: 4, layers: layers, blocks: Array(blocks.utf8), samples)
        }
        try await check(file(-1), clear)
        try await check(file(1), opaque)
        try await check(file(nil), opaque)
        try await check(file(nil, "8BIMMt16\0\0\0\0"), clear)
        try await check(file(nil, "8BIMPatt\0\0\0\u{1}abcd8BIMLr16\0\0\0\u{2}\u{7F}\u{7F}"), opaque)
        try await check(
            Self.psd(
                3,
                1,
                channels: 4,
                blocks: Array("8BIMLr16\0\0\0\u{2}".utf8) + [0xFF, 0xFF, 0, 0],
                samples
            ),
            clear
        )
    }

    @Test func `a Photoshop document without a merged image is refused`() async throws {
        let samples: [UInt8] = [255, 0, 0]
        let file = Self.psd(1, 1, resources: [(1000, [1]), (1057, [0, 0, 0, 1, 0])], samples)
        let error = #expect(throws: CalotypeError.self) { try ImageProbe.facts(of: .bytes(file)) }
        #expect(error?.code == .unsupportedFormat && "\(error!)".contains("saved without a merged image"))
        try await check(
            Self.psd(1, 1, resources: [(1000, [1]), (1057, [0, 0, 0, 1, 1])], samples),
            [[Self.red]]
        )
    }

    @Test func `a Photoshop document that is cut off or impossible has an error that says so`() async throws {
        let whole = Self.psd(2, 1, resources: [(1000, [1, 2])], layers: 1, [255, 0, 0, 0, 0, 255])
        for count in 4..<whole.count {
            #expect(try await code(Array(whole.prefix(count))) == .truncatedImage)
        }
        #expect(try await code(Self.psd(0, 1, [])) == .corruptImage)
        #expect(try await code(Self.psd(30_001, 1, [])) == .corruptImage)
        #expect(try await code(Self.psd(30_000, 30_000, compression: 1, [])) == .tooManyPixels)
        #expect(try await code(Self.psd(1, 1, channels: 2, [0, 0])) == .corruptImage)
        #expect(try await code(Self.psd(1, 1, mode: 2, channels: 1, [0])) == .corruptImage)
        for (mode, bits) in [(9, 8), (7, 8), (3, 32), (0, 8), (5, 8)] {
            let file = Self.psd(1, 1, mode: mode, bits: bits, channels: 4, [UInt8](repeating: 0, count: 16))
            #expect(try await code(file) == .unsupportedFormat)
        }
        #expect(try await code(Self.psd(1, 1, version: 3, [0, 0, 0])) == .unsupportedFormat)
        #expect(try await code(Self.psd(1, 1, compression: 2, [0, 0, 0])) == .unsupportedFormat)
    }
}
