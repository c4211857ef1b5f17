import CalotypeCodec
import CalotypeCore
import Testing

struct ProbeTests {
    private func facts(_ bytes: [UInt8]) throws -> ImageFacts? {
        try ImageProbe.facts(fromPrefix: bytes, isComplete: false)
    }

    private func message(_ bytes: [UInt8]) -> String? {
        do throws(CalotypeError) {
            _ = try ImageProbe.facts(fromPrefix: bytes, isComplete: true)
            return nil
        } catch {
            return error.code == .unsupportedFormat ? error.message : "\(error.code)"
        }
    }

    @Test(arguments: [
        ("<!DOCTYPE html><p>not found", "an HTML page"), ("\n\n  <HTML lang=en>", "an HTML page"),
        ("{\"error\": 404}", "JSON"), ("%PDF-1.7", "a PDF document"), ("", "empty"),
        ("<!-- a page --><html><svg/>", "an HTML page"), ("<!-- nothing else -->", "an HTML page"),
        ("Not found", "text"), ("   \r\n", "blank"), ("RIFF____WAVEfmt ", "a RIFF file other than WebP"),
        ("<?xml version='1.0'?><feed/>", "an XML document"),
    ])
    func `what is no picture is called by its name`(_ text: String, _ name: String) throws {
        #expect(try #require(message(Array(text.utf8))).contains("this is \(name),"))
    }

    @Test(arguments: [
        "", "\u{FEFF}", "\n ", "<?xml version='1.0'?>", "<!-- \(String(repeating: "drawn ", count: 150)) -->",
        "<?xml version='1.0'?><!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://www.w3.org/svg11.dtd'>",
    ])
    func `a drawing is known by its first tag`(_ beginning: String) throws {
        let text = Array("\(beginning)<svg width='40' height='30'></svg>".utf8)
        #expect(try ImageProbe.facts(of: .bytes(text)).size == PixelSize(width: 40, height: 30))
        // It may arrive slowly.
        let lengths = try (0...text.count).map { try facts(Array(text.prefix($0)))?.format }
        #expect(lengths.allSatisfy { $0 == nil || $0 == .svg })
    }

    @Test(arguments: [
        "width='10' viewBox='0 0 1e-300 1e300'", "viewBox='0 0 1e308 1e-308'", "width='1e300in' height='nan'",
        "height='1e-320' viewBox='0 0 1e300 1e-300'", "width='-3' height='inf'",
    ])
    func `a drawing of an impossible size has a possible one`(_ attributes: String) throws {
        let size = try ImageProbe.facts(of: .bytes(Array("<svg \(attributes)></svg>".utf8))).size
        #expect((1...4096).contains(size.width) && (1...4096).contains(size.height))
    }

    @Test func `the first bytes count, not what follows or what a name says`() throws {
        let polyglot = HandMade.jpegHead(width: 64, height: 48) + Array("<html><script>".utf8)
        #expect(try facts(polyglot)?.format == .jpeg)
        #expect(message(Array("<html>".utf8) + polyglot)?.contains("HTML") == true)
    }

    @Test func `a short prefix shows nothing yet`() throws {
        for count in 0..<11 {
            #expect(try facts(Array(HandMade.jpegHead(width: 64, height: 48).prefix(count))) == nil)
        }
    }

    @Test(arguments: [(0, 10), (10, 0), (1 << 31, 10), (10, 0xFFFF_FFFF)])
    func `a PNG with an impossible size is corrupt`(_ width: Int, _ height: Int) {
        #expect(message(HandMade.pngHead(width: width, height: height)) == "corrupt_image")
    }

    @Test func `the largest PNG there may be is read, and refused by the limits`() throws {
        let largest = try #require(try facts(HandMade.pngHead(width: 0x7FFF_FFFF, height: 0x7FFF_FFFF)))
        #expect(throws: CalotypeError.self) { try ImageLimits().check(largest) }
        let bomb = try #require(try facts(HandMade.pngHead(width: 65_000, height: 65_000)))
        do {
            try ImageLimits().check(bomb)
            Issue.record("a picture of 4,225 megapixels was let in")
        } catch {
            #expect(error.code == .tooManyPixels)
        }
    }

    @Test func `a JPEG of 65535 by 65535 without data is rejected by its header`() throws {
        let facts = try #require(try facts(HandMade.jpegHead(width: 65_535, height: 65_535, frame: 0xC2)))
        #expect(facts.storedSize.pixelCount == 65_535 * 65_535)
        #expect(facts.needsWholePicture)
        #expect(throws: CalotypeError.self) { try ImageLimits().check(facts) }
    }

    @Test(arguments: [(0, 8), (9, 8), (65_535, 8), (6, 9000), (6, 0xFFFF_FFF0)])
    func `an invalid EXIF orientation counts as upright`(
        _ orientation: Int,
        _ offset: Int
    ) throws {
        let jpeg = HandMade.jpeg(
            HandMade.jpegHead(width: 64, height: 48),
            orientation: orientation,
            offset: offset
        )
        #expect(try facts(jpeg)?.orientation == 1)
    }

    @Test(arguments: 1...8)
    func `the EXIF orientation is read`(_ orientation: Int) throws {
        let jpeg = HandMade.jpeg(HandMade.jpegHead(width: 64, height: 48), orientation: orientation)
        let facts = try #require(try facts(jpeg))
        #expect(facts.orientation == orientation)
        #expect(
            facts.size == PixelSize(width: orientation >= 5 ? 48 : 64, height: orientation >= 5 ? 64 : 48)
        )
    }

    @Test func `kinds of JPEG that are not read are unsupported`() {
        #expect(message(HandMade.jpegHead(width: 64, height: 48, frame: 0xC3))?.contains("lossless") == true)
    }

    @Test func `a GIF's frames are counted when all of it is there`() throws {
        let gif = HandMade.gif(width: 7, height: 5, frames: 12)
        let whole = try #require(try ImageProbe.facts(fromPrefix: gif, isComplete: true))
        #expect(whole.frames == 12)
        #expect(whole.size == PixelSize(width: 7, height: 5))
        #expect(try facts(gif)?.frames == nil)
    }

    @Test(arguments: [(2_147_483_649, 3), (0xFFFF_FFFF, 1), (0, 2), (3, 3), (5, 0)])
    func `the frames of a PNG are counted, not believed`(_ claimed: Int, _ frames: Int) throws {
        let control = HandMade.big(claimed, 4) + HandMade.big(0, 4)
        let still = HandMade.greyPNG
        let animated = HandMade.png(still, inserting: "acTL", control)
        let frame =
            HandMade.chunk("fcTL", [UInt8](repeating: 0, count: 26)) + HandMade.chunk("fdAT", [0, 0, 0, 0])
        let following = Array(repeatElement(frame, count: frames).joined())
        let png = Array(animated.dropLast(12)) + following + HandMade.pngEnd
        #expect(try ImageProbe.facts(of: .bytes(png)).frames == max(1, frames))
        // Until its end is there, nobody knows.
        let prefix = try #require(try facts(Array(png.prefix(png.count - 12))))
        #expect(prefix.frames == nil)
        #expect(try facts(still)?.frames == 1)
    }

    @Test(arguments: [(0, 2_147_483_649), (0, 2), (10, 0xFFFF_FFFF), (10, 7)])
    func `the frames of an AVIF sequence are no more than there is room for`(
        _ size: Int,
        _ claimed: Int
    ) async throws {
        let picture = Bitmap(size: PixelSize(width: 8, height: 8), rgba: [UInt8](repeating: 255, count: 256))
        let still = try await withImageCodec { codec in try await codec.encode(picture, as: .avif) }
        var table = HandMade.big(0, 4) + HandMade.big(size, 4) + HandMade.big(claimed, 4)
        table += [UInt8](repeating: 0, count: 12)
        for kind in ["stsz", "stbl", "minf", "mdia", "trak", "moov"] {
            table = HandMade.big(table.count + 8, 4) + Array(kind.utf8) + table
        }
        let file = still + table
        let frames = try #require(try ImageProbe.facts(of: .bytes(file)).frames)
        #expect(frames == min(claimed, size == 0 ? 3 : file.count / size))
    }

    @Test func `endless segments are given up`() {
        let segment: [UInt8] = [0xFF, 0xFE, 0, 2]
        let jpeg = [0xFF, 0xD8] + Array(repeatElement(segment, count: 20_000).joined())
        #expect(throws: CalotypeError.self) { try facts(jpeg) }
    }
}
