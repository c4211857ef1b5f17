import CalotypeCodec
import CalotypeCore
import CalotypeTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PictureTests {
    private static let formats: [ImageFormat] = [.jpeg, .png, .webp, .gif]
    private static let sizes = [(1, 1), (7, 3), (8, 8), (17, 40), (300, 200)].map {
        PixelSize(width: $0, height: $1)
    }

    @Test(arguments: formats, sizes)
    func `a tiny picture is what it says, to the header's reader and to the decoder`(
        format: ImageFormat,
        size: PixelSize
    ) async throws {
        for colour in [TinyPicture.Colour.orange, .init(0, 0, 0), .init(255, 255, 255), .init(9, 200, 255)] {
            let bytes = try #require(TinyPicture.encoded(as: format, size: size, colour: colour))
            let facts = try #require(try ImageProbe.facts(fromPrefix: bytes, isComplete: true))
            #expect(facts.format == format)
            #expect(facts.size == size)
            let bitmap = try await withImageCodec { try await $0.bitmap(of: .bytes(bytes)) }
            #expect(bitmap.size == size)
            let wanted = [colour.red, colour.green, colour.blue, 255]
            let tolerance = format == .jpeg ? 3 : 0
            let isRight = bitmap.rgba.indices.allSatisfy {
                abs(Int(bitmap.rgba[$0]) - Int(wanted[$0 % 4])) <= tolerance
            }
            #expect(isRight, "\(bitmap.rgba.prefix(8)) is not \(wanted)")
        }
    }

    @Test func `the smallest ones are small`() {
        let counts = Self.formats.map { TinyPicture.encoded(as: $0)?.count ?? 0 }
        #expect(counts.allSatisfy { (1..<250).contains($0) }, "\(counts)")
        #expect(TinyPicture.png().count == 72)
    }

    @Test func `a drawn picture is the same for the same seed`() async throws {
        let size = PixelSize(width: 60, height: 40)
        let first = try await DrawnPicture.encoded(size, as: .jpeg, seed: 5)
        let again = try await DrawnPicture.encoded(size, as: .jpeg, seed: 5)
        let other = try await DrawnPicture.encoded(size, as: .jpeg, seed: 6)
        #expect(first == again && first != other)
        let facts = try ImageProbe.facts(fromPrefix: first, isComplete: true)
        #expect(facts?.size == size)
    }
}
