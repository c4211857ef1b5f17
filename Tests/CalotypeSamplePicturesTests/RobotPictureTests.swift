import CalotypeCore
import CalotypeSamplePictures
import Testing

struct RobotPictureTests {
    private static let size = PixelSize(width: 40, height: 40)

    @Test(arguments: RobotPicture.Kind.allCases)
    func `every kind stands on a transparent ground and differs from text to text`(kind: RobotPicture.Kind) {
        let bitmaps = ["a", "b", "c", "d"].map { RobotPicture(text: $0, kind: kind, size: Self.size).draw() }
        #expect(Set(bitmaps).count == 4)
        for bitmap in bitmaps {
            let opacities = stride(from: 3, to: bitmap.rgba.count, by: 4).map { bitmap.rgba[$0] }
            #expect(opacities[0] == 0)
            #expect((300...1300).contains(opacities.count { $0 == 255 }))
        }
    }

    @Test(arguments: [RobotPicture.Backdrop.plain, .rings])
    func `a backdrop leaves nothing transparent`(backdrop: RobotPicture.Backdrop) {
        let bitmap = RobotPicture(text: "a", backdrop: backdrop, size: Self.size).draw()
        #expect(stride(from: 3, to: bitmap.rgba.count, by: 4).allSatisfy { bitmap.rgba[$0] == 255 })
    }

    @Test(arguments: [(1, 1), (1, 90), (90, 1), (0, -5)])
    func `any size can be drawn, lengths below one as one`(width: Int, height: Int) {
        let bitmap = RobotPicture(text: "a", size: PixelSize(width: width, height: height)).draw()
        #expect(bitmap.size == PixelSize(width: max(1, width), height: max(1, height)))
    }
}
