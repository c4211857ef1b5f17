import CalotypeCodec
import CalotypeCore
import CalotypeSamplePictures
import Testing

@Suite(.timeLimit(.minutes(1)))
struct OrientationTests {
    /// Dark left, light right, and a light bar along the top: no turn of it is like another.
    private static let upright = {
        let size = PixelSize(width: 48, height: 32)
        var rgba: [UInt8] = []
        for y in 0..<32 {
            for x in 0..<48 { rgba += [UInt8(x * 5), y < 8 ? 240 : 20, 60, 255] }
        }
        return Bitmap(size: size, rgba: rgba)
    }()

    @Test func `storing for 6 puts the right side of the picture into the first row`() {
        let size = PixelSize(width: 2, height: 1)
        let bitmap = Bitmap(size: size, rgba: [1, 1, 1, 255, 2, 2, 2, 255])
        let stored = bitmap.stored(for: 6)
        #expect(stored.size == PixelSize(width: 1, height: 2))
        #expect(stored.rgba == [2, 2, 2, 255, 1, 1, 1, 255])
        #expect(bitmap.stored(for: 9) == bitmap)
    }

    @Test(arguments: 1...8)
    func `a codec that applies the orientation once shows the picture upright`(orientation: Int) async throws
    {
        try await withImageCodec { codec in
            let stored = Self.upright.stored(for: orientation)
            let jpeg = try await codec.encode(stored, as: .jpeg(quality: 95))
            let turned = EXIFOrientation.inserted(orientation, intoJPEG: jpeg)
            let facts = try #require(try codec.probe(turned, isComplete: true))
            #expect(facts.orientation == orientation)
            let seen = try await codec.bitmap(of: .bytes(turned))
            try #require(seen.size == Self.upright.size)
            let off = zip(seen.rgba, Self.upright.rgba).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            #expect(off / seen.rgba.count < 12, "the mean difference of a channel")
        }
    }
}
