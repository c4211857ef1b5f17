import CalotypeCore
import CalotypeSamplePictures
import Testing

struct AppArtworkTests {
    private static let side = PixelSize(width: 24, height: 24)

    @Test(arguments: AppArtwork.Glyph.allCases)
    func `every glyph stands out from its ground, and nothing is transparent`(glyph: AppArtwork.Glyph) {
        let bitmap = AppArtwork(seed: 3, glyph: glyph).icon(Self.side)
        let other = AppArtwork(seed: 3, glyph: glyph == .lens ? .star : .lens).icon(Self.side)
        #expect(Self.isOpaque(bitmap))
        #expect(bitmap != other)
        let middle = (5..<19).flatMap { y in (5..<19).map { Self.luma(bitmap, $0, y) } }
        let spread = (middle.max() ?? 0) - (middle.min() ?? 0)
        #expect(spread > 60, "a glyph of its ground's colour cannot be seen")
    }

    @Test func `the same seed draws the same icon, another one another`() {
        let icons = (0..<12).map { AppArtwork(seed: UInt64($0), glyph: .heart).icon(Self.side) }
        #expect(Set(icons).count == 12)
        #expect(AppArtwork(seed: 5, glyph: .heart).icon(Self.side) == icons[5])
    }

    @Test func `screenshots of all numbers differ, on phones and tablets`() {
        let artwork = AppArtwork(seed: 9, glyph: .pin)
        let phone = PixelSize(width: 28, height: 50)
        let shots = (1...8).map { artwork.screenshot($0, phone) }
        #expect(Set(shots).count == 8)
        #expect(shots.allSatisfy { $0.size == phone && Self.isOpaque($0) })
        let tablet = artwork.screenshot(1, PixelSize(width: 64, height: 48))
        #expect(tablet.size == PixelSize(width: 64, height: 48))
        #expect(tablet == artwork.screenshot(1, tablet.size))
    }

    @Test(arguments: [(1, 1), (1, 60), (60, 1), (16, 9)])
    func `any size can be drawn`(width: Int, height: Int) {
        let size = PixelSize(width: width, height: height)
        for number in [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, .max] {
            #expect(AppArtwork(seed: 1, glyph: .cup).screenshot(number, size).size == size)
        }
        #expect(AppArtwork(seed: 1, glyph: .cup).icon(size).size == size)
    }

    private static func isOpaque(_ bitmap: Bitmap) -> Bool {
        stride(from: 3, to: bitmap.rgba.count, by: 4).allSatisfy { bitmap.rgba[$0] == 255 }
    }

    private static func luma(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> Int {
        let index = (y * bitmap.size.width + x) * 4
        return (Int(bitmap.rgba[index]) * 2 + Int(bitmap.rgba[index + 1]) * 5 + Int(bitmap.rgba[index + 2]))
            / 8
    }
}
