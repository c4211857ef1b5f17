import CalotypeCore
import Testing

@testable import CalotypeCodec

@Suite struct JPEGEncoderTests {
    @Test(arguments: [1, 40, 85, 89, 90, 100])
    func `the bytes say the same as those of libvips, and are as few`(_ quality: Int) throws {
        let picture = hills(203, 117)
        let ours = try encoded(picture, quality: quality)
        let theirs = try libvipsJPEG(picture, quality: quality)
        #expect(try DecodedJPEG(ours).samples == (try DecodedJPEG(theirs).samples))
        #expect(abs(ours.count - theirs.count) < 100)
        #expect(try sampling(ours) == (quality < 90 ? 0x22 : 0x11))
    }

    @Test func `the file is a baseline JFIF without metadata`() throws {
        let jpeg = try encoded(hills(64, 48), quality: 80)
        #expect(Array(jpeg[2..<4]) == [0xFF, 0xE0])
        let facts = try ImageProbe.facts(of: .bytes(jpeg))
        #expect(facts.storedSize == PixelSize(width: 64, height: 48))
        #expect(!facts.needsWholePicture)
        #expect(facts.profile == nil)
        #expect(
            !jpeg.indices.dropLast().contains {
                jpeg[$0] == 0xFF && [0xE1, 0xE2, 0xFE].contains(jpeg[$0 + 1])
            }
        )
    }

    @Test(arguments: [SampleLayout.Model.rgb, .grey])
    func `a progressive file says the same as a baseline one`(_ model: SampleLayout.Model) throws {
        let picture = hills(203, 117)
        let baseline = try encoded(picture, quality: 82, model)
        let progressive = try encoded(picture, quality: 82, model, isProgressive: true)
        let (one, other) = (try DecodedJPEG(baseline), try DecodedJPEG(progressive))
        #expect(one.samples == other.samples && one.layout.model == other.layout.model)
        #expect(!(try ImageProbe.facts(of: .bytes(baseline))).needsWholePicture)
        #expect(try ImageProbe.facts(of: .bytes(progressive)).needsWholePicture)
        #expect(progressive.count < baseline.count)
    }

    @Test func `a progressive file ends soon when it is cancelled`() throws {
        var asked = 0
        let encoder = try JPEGEncoder(
            PixelSize(width: 64, height: 64),
            quality: 80,
            source: .grey,
            isProgressive: true,
            isCancelled: {
                asked += 1
                return asked > 1
            }
        )
        for _ in 0..<64 { try encoder.write([UInt8](repeating: 9, count: 64).span) }
        #expect(throws: CalotypeError.self) { try encoder.finish() }
        #expect(asked == 2)
    }

    @Test func `grey stays one component`() throws {
        for source in [SampleLayout.Model.grey, .greyAlpha] {
            let encoder = try JPEGEncoder(PixelSize(width: 33, height: 9), quality: 90, source: source)
            #expect(encoder.model == .grey)
            for y in 0..<9 { try encoder.write([UInt8](repeating: UInt8(y * 20), count: 33).span) }
            let decoded = try DecodedJPEG(encoder.finish())
            #expect(decoded.layout.model == .grey)
            #expect(decoded.size == PixelSize(width: 33, height: 9))
            #expect(abs(Int(decoded.samples[4 * 33]) - 80) < 4)
        }
        for source in [SampleLayout.Model.rgb, .rgba, .videoYCbCr] {
            let encoder = try JPEGEncoder(PixelSize(width: 8, height: 8), quality: 90, source: source)
            #expect(encoder.model == .rgb)
        }
    }

    @Test func `noise at the best quality outgrows the first buffer and stays whole`() throws {
        let picture = noise(700, 500)
        let jpeg = try encoded(picture, quality: 100)
        #expect(jpeg.count > 700_000)
        #expect(
            try DecodedJPEG(jpeg).samples == (try DecodedJPEG(libvipsJPEG(picture, quality: 100)).samples)
        )
    }

    @Test func `a size that JPEG has not, or rows that are missing, are an error with its reason`() throws {
        let wide = try JPEGEncoder(PixelSize(width: 65_501, height: 1), quality: 80, source: .grey)
        #expect(throws: CalotypeError.self) {
            try wide.write([UInt8](repeating: 0, count: 65_501).span)
        }
        let short = try JPEGEncoder(PixelSize(width: 8, height: 3), quality: 80, source: .grey)
        try short.write([UInt8](repeating: 0, count: 8).span)
        #expect(throws: CalotypeError.self) { try short.finish() }
        let empty = try JPEGEncoder(PixelSize(width: 8, height: 3), quality: 80, source: .grey)
        #expect(throws: CalotypeError.self) { try empty.finish() }
    }

    private func encoded(
        _ picture: Bitmap,
        quality: Int,
        _ model: SampleLayout.Model = .rgb,
        isProgressive: Bool = false
    ) throws -> [UInt8] {
        let encoder = try JPEGEncoder(
            picture.size,
            quality: quality,
            source: model,
            isProgressive: isProgressive
        )
        for y in 0..<picture.size.height {
            let row = (0..<picture.size.width).flatMap { picture.pixel($0, y).prefix(model.channels) }
            try encoder.write(row.span)
        }
        return try encoder.finish()
    }

    /// The sampling factors of the first component.
    private func sampling(_ jpeg: [UInt8]) throws -> UInt8 {
        let frame = try #require(jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
        return jpeg[frame + 11]
    }
}
