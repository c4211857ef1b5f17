import CalotypeCore
import Testing

@testable import CalotypeCodec

@Suite(.timeLimit(.minutes(1)))
struct WebPEncoderTests {
    private static let models: [SampleLayout.Model] = [.grey, .greyAlpha, .rgb, .rgba]

    @Test(arguments: models, [(1, 1), (3, 2), (16, 16), (31, 17), (90, 65)])
    func `what is encoded looks like what came in`(
        _ model: SampleLayout.Model,
        _ size: (Int, Int)
    ) async throws {
        let picture = soft(size.0, size.1, model)
        let bytes = try encoded(picture, model, quality: 90)
        try await withReferenceCodec { codec in
            let back = try await codec.bitmap(of: .bytes(bytes))
            #expect(back.size == picture.size)
            // Of a few pixels, two share one colour that differ much.
            #expect(size.0 < 16 || back.meanSquare(picture) < 30)
            let facts = try #require(try codec.probe(bytes, isComplete: true))
            #expect(facts.hasAlpha == (model.hasAlpha && size != (1, 1)))
            let alphas = stride(from: 3, to: picture.rgba.count, by: 4)
            #expect(alphas.allSatisfy { back.rgba[$0] == picture.rgba[$0] })
        }
    }

    @Test(arguments: [SampleLayout.Model.rgb, .rgba], [20, 82])
    func `the bytes are those of libvips for the same settings`(
        _ model: SampleLayout.Model,
        _ quality: Int
    ) async throws {
        let picture = soft(133, 97, model)
        try await withReferenceCodec { codec in
            let theirs = try await codec.encode(picture, as: .webp, quality: quality)
            #expect(try encoded(picture, model, quality: quality) == theirs)
        }
    }

    @Test(arguments: models, [(1, 1), (31, 17), (90, 65)])
    func `a lossless file has exactly the pixels that came in`(
        _ model: SampleLayout.Model,
        _ size: (Int, Int)
    ) async throws {
        let picture = soft(size.0, size.1, model)
        let bytes = try encoded(picture, model, quality: 25, isLossless: true)
        try await withReferenceCodec { codec in
            let back = try await codec.bitmap(of: .bytes(bytes))
            #expect(back.size == picture.size)
            // The colour of a transparent pixel does not matter.
            let starts = stride(from: 0, to: picture.rgba.count, by: 4)
            #expect(
                starts.allSatisfy { start in
                    let shown = picture.rgba[start + 3] == 0 ? 3..<4 : 0..<4
                    return shown.allSatisfy { back.rgba[start + $0] == picture.rgba[start + $0] }
                }
            )
        }
    }

    @Test func `no effort gives more bytes than a fast one`() throws {
        let picture = soft(200, 150, .rgb)
        let bytes = try [Effort.best, .balanced, .fast].map {
            try encoded(picture, .rgb, quality: 82, effort: $0)
        }
        #expect(bytes[0] == bytes[1])
        #expect(bytes[1].count < bytes[2].count)
    }

    @Test func `a size that WebP does not have is an error`() {
        for (width, height) in [(16_384, 1), (1, 16_384), (0, 5), (5, -1)] {
            #expect(throws: CalotypeError.self) {
                try WebPEncoder(PixelSize(width: width, height: height), .rgb, quality: 80)
            }
        }
    }

    @Test func `rows too few and too many are errors`() throws {
        let encoder = try WebPEncoder(PixelSize(width: 4, height: 2), .grey, quality: 80)
        try encoder.write([1, 2, 3, 4].span)
        #expect(throws: CalotypeError.self) { try encoder.finish() }
        try encoder.write([1, 2, 3, 4].span)
        #expect(throws: CalotypeError.self) { try encoder.write([1, 2, 3, 4].span) }
    }

    @Test func `encoding ends soon when it is cancelled`() throws {
        var asked = 0
        let encoder = try WebPEncoder(PixelSize(width: 64, height: 64), .grey, quality: 80) {
            asked += 1
            return asked > 1
        }
        for _ in 0..<64 { try encoder.write([UInt8](repeating: 9, count: 64).span) }
        #expect(throws: CalotypeError.self) { try encoder.finish() }
        #expect(asked == 2)
    }

    /// Soft colours, which lossy coding keeps well; equal ones for models of grey.
    private func soft(_ width: Int, _ height: Int, _ model: SampleLayout.Model) -> Bitmap {
        var picture = gradient(width, height, hasAlpha: model.hasAlpha)
        for start in stride(from: 0, to: picture.rgba.count, by: 4) where model.channels < 3 {
            picture.rgba[start + 1] = picture.rgba[start]
            picture.rgba[start + 2] = picture.rgba[start]
        }
        return picture
    }

    private func encoded(
        _ picture: Bitmap,
        _ model: SampleLayout.Model,
        quality: Int,
        isLossless: Bool = false,
        effort: Effort = .balanced
    ) throws -> [UInt8] {
        let encoder = try WebPEncoder(
            picture.size,
            model,
            quality: quality,
            isLossless: isLossless,
            effort: effort
        )
        let kept = [[0], [0, 3], [0, 1, 2], [0, 1, 2, 3]][model.channels - 1]
        for y in 0..<picture.size.height {
            let row = (0..<picture.size.width).flatMap { x in kept.map { picture.pixel(x, y)[$0] } }
            try encoder.write(row.span)
        }
        return try encoder.finish()
    }
}
