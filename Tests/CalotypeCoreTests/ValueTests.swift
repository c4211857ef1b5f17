import CalotypeCore
import Testing

struct ValueTests {
    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1049, "1.0 kB"), (1050, "1.1 kB"),
        (200_900_000, "200.9 MB"),
        (1_073_741_824, "1.1 GB"), (-1500, "-1.5 kB"), (Int.max, "9223372.0 TB"), (999_999, "1.0 MB"),
    ])
    func `a byte count reads in the largest unit that gives one`(bytes: Int, text: String) {
        #expect(ByteCount(bytes).description == text)
    }

    @Test func `a size too large to count does not overflow`() {
        #expect(PixelSize(width: .max, height: 2).pixelCount == .max)
        #expect(PixelSize(width: 3, height: 2).transposed == PixelSize(width: 2, height: 3))
    }

    @Test(arguments: 1...8)
    func `orientations from 5 on lie on their side`(orientation: Int) {
        let facts = ImageFacts(
            format: .jpeg,
            storedSize: PixelSize(width: 40, height: 30),
            orientation: orientation
        )
        #expect(facts.size == PixelSize(width: orientation < 5 ? 40 : 30, height: orientation < 5 ? 30 : 40))
    }

    @Test func `an error keeps the URL that it names itself`() {
        let error = CalotypeError(.http(status: 404), "the origin returned 404", stage: .response)
        #expect(error.description == "http_404: the origin returned 404")
        #expect(error.at("http://a/").at("http://b/").url == "http://a/")
    }

    @Test func `a folder that is not there is a storage failure with the system's words`() {
        let facts = ImageFacts(format: .png, storedSize: PixelSize(width: 1, height: 1))
        let size = PixelSize(width: 1, height: 1)
        let picture = Rendition(bytes: [], format: .png, size: size, source: facts, sourceBytes: ByteCount(0))
        let error = #expect(throws: CalotypeError.self) { try picture.write(to: "/no/such/folder/a.png") }
        #expect(error?.code == .storageFailed)
        #expect(error?.message.contains("No such file") == true)
    }
}
