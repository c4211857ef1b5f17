import CalotypeCore
import Testing

@testable import CalotypeCodec

@Suite(.timeLimit(.minutes(1)))
struct WebPDecoderTests {
    private static let sizes = [(1, 1), (1, 7), (2, 2), (3, 5), (16, 16), (17, 33), (129, 31), (150, 201)]

    /// The four kinds of still WebP.
    enum Kind: CaseIterable {
        case lossy, lossless, lossyAlpha, losslessAlpha

        var isLossless: Bool { self == .lossless || self == .losslessAlpha }
        var hasAlpha: Bool { self == .lossyAlpha || self == .losslessAlpha }
    }

    @Test(arguments: Kind.allCases)
    func `the pixels are those that libvips gives (I01)`(_ kind: Kind) async throws {
        try await withImageCodec { codec in
            for (width, height) in Self.sizes {
                let bytes = try await webp(codec, gradient(width, height, hasAlpha: kind.hasAlpha), kind)
                let decoded = try DecodedPlanes(webp: .memory(bytes))
                let wanted = try await codec.bitmap(of: .bytes(bytes))
                // Between the samples of Cb and Cr libwebp rounds more than once.
                let most = decoded.layout.model == .videoYCbCr ? 2 : 0
                #expect(decoded.bitmap.difference(wanted) <= most, "\(width)x\(height)")
                #expect(!decoded.isPartial)
            }
        }
    }

    private func webp(_ codec: ImageCodec, _ picture: Bitmap, _ kind: Kind) async throws -> [UInt8] {
        var options = EncodeOptions()
        options.isLossless = kind.isLossless
        return try await codec.encode(picture, as: .webp, options: options)
    }
}
