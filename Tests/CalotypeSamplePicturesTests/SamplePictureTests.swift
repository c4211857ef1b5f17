import CalotypeCore
import CalotypeSamplePictures
import Testing

struct SamplePictureTests {
    private static let size = PixelSize(width: 60, height: 40)

    @Test(arguments: SampleMotif.allCases)
    func `every motif has light and shade`(motif: SampleMotif) {
        let bitmap = SamplePicture(seed: 3, size: Self.size, motif: motif).draw()
        let greens = stride(from: 1, to: bitmap.rgba.count, by: 4).map { Int(bitmap.rgba[$0]) }
        let mean = greens.reduce(0, +) / greens.count
        let spread = greens.map { abs($0 - mean) }.reduce(0, +) / greens.count
        #expect(spread > 8, "a flat picture shows nothing")
        #expect(bitmap.size == Self.size)
    }

    @Test func `the same seed draws the same pixels, another one other pixels`() {
        let picture = SamplePicture(seed: 11, size: Self.size, motif: .harbour)
        #expect(picture.draw() == picture.draw())
        #expect(picture.draw() != SamplePicture(seed: 12, size: Self.size, motif: .harbour).draw())
    }

    @Test(arguments: [(1, 1), (1, 300), (300, 1), (0, -5), (3, 2)])
    func `any size can be drawn, lengths below one as one`(width: Int, height: Int) {
        for motif in SampleMotif.allCases {
            let picture = SamplePicture(seed: 5, size: PixelSize(width: width, height: height), motif: motif)
            #expect(picture.draw().size == PixelSize(width: max(1, width), height: max(1, height)))
        }
    }
}
