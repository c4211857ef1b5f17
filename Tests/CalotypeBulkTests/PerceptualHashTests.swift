import CalotypeCore
import Testing

@testable import CalotypeBulk

struct PerceptualHashTests {
    @Test(arguments: [
        // As imagehash.phash of ImageHash 4.3.2 with Pillow 13.0 has them.
        (100, 70, "8626272e0e2e7e7a"), (32, 32, "8c033ed1a769da35"), (40, 32, "87103f789326ed1b"),
        (32, 90, "800f3e3821267f7f"), (20, 300, "803f0f372f182d3b"), (257, 255, "a2aa2aaaaaaaeaea"),
        (9, 7, "a974d35ce842fb88"),
    ])
    func `the hash of a picture is that of ImageHash`(_ width: Int, _ height: Int, _ hash: String) {
        var rgba: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let red = x * x / 7 + 3 * x * y / 5 + 7 * y
                let (green, blue) = (x * 5 + y * y / 3, x * y / 2 + 11)
                rgba += [red, green, blue, 255].map { UInt8(truncatingIfNeeded: $0) }
            }
        }
        let bitmap = Bitmap(size: PixelSize(width: width, height: height), rgba: rgba)
        #expect(PerceptualHash.text(PerceptualHash.hash(of: bitmap)) == hash)
    }

    @Test func `a near duplicate names the first one that stays`() {
        var seen = NearDuplicates()
        let first: UInt64 = 0x0123_4567_89AB_CDEF
        #expect(seen.add(first, "a") == nil)
        #expect(seen.add(first ^ 0b1111, "b") == "a")
        // Eight bits from a and four from b, which does not stay.
        #expect(seen.add(first ^ 0b1111_1111, "c") == nil)
        #expect(seen.add(first ^ 0x8000_0800_0080_0001, "d") == "a")
        #expect(seen.add(first ^ 0x8080_8080_8000_0000, "e") == nil)
        #expect(seen.add(first ^ 0b1111_1110, "f") == "c")
    }
}

struct SampleBoxesTests {
    @Test func `boxes are read from text and from arrays`() throws {
        let area = try #require(RelativeArea(left: 0.1, top: 0, right: 0.5, bottom: 1))
        let texts: [ListField] = [.text("[[0.1, 0, 0.5, 1]]"), .json("[[1e-1,-0.2,0.5,1.5]]")]
        for field in texts { #expect(try SampleBoxes.areas(field) == [area]) }
        #expect(try SampleBoxes.areas(.json("[[0.1,0,0.5,1],\n [0.1,0,0.5,1]]")) == [area, area])
        for field in [ListField.null, .text(""), .text(" [] ")] {
            #expect(try SampleBoxes.areas(field) == [])
        }
    }

    @Test(arguments: [
        "0.1,0.2,0.3,0.4", "[0.1,0.2,0.3,0.4]", "[[0.1,0.2,0.3]]", "[[0.1,0.2,0.3,0.4,0.5]]",
        "[[0.5,0,0.1,1]]",
        "[[nan,0,1,1]]", "[[a,0,1,1]]", "[[,0,1,1,1]]", "[[]]", "{}",
        "[[0,0,1,1]" + String(repeating: ",[0,0,1,1]", count: 1000) + "]",
    ])
    func `anything else is refused, because a face might stay visible`(_ text: String) {
        #expect {
            try SampleBoxes.areas(.text(text))
        } throws: { error in
            (error as? CalotypeError)?.code == .invalidRequest
        }
    }
}
