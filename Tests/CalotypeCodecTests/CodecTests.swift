import CalotypeCodec
import CalotypeCore
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CodecTests {
    @Test(arguments: ImageFormat.encodable, [OutputFormat.jpeg, .png, .webp, .avif])
    func `each format comes in and each output goes out`(
        _ source: ImageFormat,
        _ output: OutputFormat
    ) async throws {
        try await withEachCodec { codec in
            let bytes = try await codec.encode(fourCorners(96, 64), as: source)
            let made = try await codec.renditions(
                of: .bytes(bytes),
                as: [RenditionSpec(.fit(48, 48), output)]
            )
            let rendition = try #require(made.first)
            #expect(rendition.size == PixelSize(width: 48, height: 32))
            #expect(rendition.source.format == source)
            #expect(rendition.source.frames == 1)
            #expect(!rendition.isVerbatim)
            let facts = try #require(try codec.probe(rendition.bytes, isComplete: true))
            #expect(facts.format == rendition.format)
            #expect(facts.size == rendition.size)
            #expect(facts.profile == nil)
            let pixels = try await codec.bitmap(of: .bytes(rendition.bytes))
            #expect(pixels.corners == uprightCorners)
        }
    }

    @Test func `each format is listed with what reads and writes it`() {
        let all = FormatSupport.all
        #expect(all.map(\.format) == ImageFormat.allCases)
        // All libraries come with Debian's libvips.
        #expect(all.allSatisfy { $0.reader != nil })
        #expect(all.filter { $0.writer != nil }.map(\.format) == ImageFormat.encodable + [.jxl])
    }

    @Test(arguments: ImageFormat.encodable)
    func `the codec and the header reader see the same size`(_ format: ImageFormat) async throws {
        try await withEachCodec { codec in
            let bytes = try await codec.encode(fourCorners(97, 61), as: format)
            let facts = try await codec.facts(of: .bytes(bytes))
            #expect(facts.size == PixelSize(width: 97, height: 61))
            #expect(facts.format == format)
            // The GIF encoder always reserves a transparent colour.
            #expect(facts.hasAlpha == (format == .gif))
            let pixels = try await codec.bitmap(of: .bytes(bytes))
            #expect(pixels.size == facts.size)
        }
    }

    @Test(arguments: [ImageFormat.png, .webp, .avif, .tiff, .gif, .heic])
    func `transparency is kept, and laid on white for JPEG`(_ format: ImageFormat) async throws {
        try await withEachCodec { codec in
            var picture = fourCorners(64, 64)
            for i in stride(from: 3, to: picture.rgba.count / 2, by: 4) { picture.rgba[i] = 0 }
            let bytes = try await codec.encode(picture, as: format)
            #expect(try await codec.facts(of: .bytes(bytes)).hasAlpha)
            let specs = [RenditionSpec(.fit(32, 32), .png), RenditionSpec(.fit(32, 32), .jpeg)]
            let made = try await codec.renditions(of: .bytes(bytes), as: specs)
            #expect(try await codec.bitmap(of: .bytes(made[0].bytes)).pixel(16, 4)[3] == 0)
            let jpeg = try await codec.bitmap(of: .bytes(made[1].bytes))
            #expect(jpeg.pixel(16, 4).allSatisfy { $0 > 245 })
            #expect(jpeg.corners[2...] == uprightCorners[2...])
        }
    }

    @Test(arguments: 1...8, [Transform.none, .fit(40, 40), .fill(30, 30), .fit(400, 400), .stretch(50, 50)])
    func `EXIF orientation is applied exactly once in every size path`(
        _ orientation: Int,
        _ transform: Transform
    ) async throws {
        try await withEachCodec { codec in
            let jpeg = try await codec.encode(fourCorners(120, 80), as: .jpeg, quality: 95)
            let turned = HandMade.jpeg(jpeg, orientation: orientation)
            let made = try await codec.renditions(of: .bytes(turned), as: [RenditionSpec(transform, .jpeg)])
            let facts = try #require(try codec.probe(made[0].bytes, isComplete: true))
            #expect(facts.orientation == 1)
            let upright = PixelSize(width: orientation >= 5 ? 80 : 120, height: orientation >= 5 ? 120 : 80)
            if transform.mode == .none { #expect(made[0].size == upright) }
            #expect(facts.size == made[0].size)
            let pixels = try await codec.bitmap(of: .bytes(made[0].bytes))
            #expect(pixels.corners == turnedCorners(orientation))
        }
    }

    @Test(arguments: [ImageFormat.png, .webp])
    func `EXIF orientation is applied in PNG and WebP too`(_ format: ImageFormat) async throws {
        try await withEachCodec { codec in
            let plain = try await codec.encode(fourCorners(120, 80), as: format)
            let exif = HandMade.exif(orientation: 6)
            let turned =
                format == .png
                ? HandMade.png(plain, inserting: "eXIf", exif)
                : HandMade.webp(plain, width: 120, height: 80, exif: exif)
            for transform in [Transform.none, .fit(40, 40)] {
                let pixels = try await codec.bitmap(of: .bytes(turned), transform)
                #expect(pixels.corners == turnedCorners(6))
                #expect(pixels.size.width < pixels.size.height)
            }
        }
    }

    @Test(arguments: [false, true], [(3, 2), (4, 4), (8, 2), (9, 4)])
    func `EXIF orientation is applied whatever its type, and in a block that ends after its entries`(
        _ isLittle: Bool,
        _ type: (number: Int, length: Int)
    ) async throws {
        try await withEachCodec { codec in
            let plain = try await codec.encode(fourCorners(120, 80), as: .jpeg)
            for hasNext in [false, true] {
                let block = HandMade.exif(
                    orientation: 6,
                    type: type.number,
                    length: type.length,
                    isLittle: isLittle,
                    hasNext: hasNext
                )
                let turned = HandMade.jpeg(plain, marker: 0xE1, segment: Array("Exif\0\0".utf8) + block)
                #expect(try await codec.bitmap(of: .bytes(turned)).corners == turnedCorners(6))
                var kept = PictureEdits()
                kept.kept = .all
                let spec = RenditionSpec(Transform.fit(40, 40).edited(kept), .jpeg)
                let made = try await codec.renditions(of: .bytes(turned), as: [spec])
                #expect(try await codec.facts(of: .bytes(made[0].bytes)).orientation == 1)
                #expect(try await codec.bitmap(of: .bytes(made[0].bytes)).corners == turnedCorners(6))
            }
        }
    }

    @Test func `EXIF orientation is applied after a JPEG's frame header and a PNG's picture`() async throws {
        try await withEachCodec { codec in
            let exif = HandMade.exif(orientation: 6)
            let picture = fourCorners(120, 80)
            let jpeg = HandMade.jpeg(try await codec.encode(picture, as: .jpeg), exifBehindFrame: exif)
            let png =
                try await codec.encode(picture, as: .png).dropLast(12) + HandMade.chunk("eXIf", exif)
                + HandMade.pngEnd
            for turned in [jpeg, png] {
                #expect(try await codec.facts(of: .bytes(turned)).orientation == 6)
                #expect(try await codec.bitmap(of: .bytes(turned)).corners == turnedCorners(6))
                let small = try await codec.bitmap(of: .bytes(turned), .fit(40, 40))
                #expect(small.corners == turnedCorners(6))
            }
        }
    }

    @Test func `of two EXIF blocks the first counts`() async throws {
        try await withEachCodec { codec in
            let plain = try await codec.encode(fourCorners(120, 80), as: .jpeg)
            let late = HandMade.jpeg(plain, exifBehindFrame: HandMade.exif(orientation: 6))
            let both = HandMade.jpeg(late, orientation: 3)
            #expect(try await codec.facts(of: .bytes(both)).orientation == 3)
        }
    }

    @Test func `one decode serves many specs, in their order`() async throws {
        try await withEachCodec { codec in
            let bytes = try await codec.encode(fourCorners(800, 600), as: .jpeg)
            let specs = [
                RenditionSpec(.fit(400, 400), .jpeg), RenditionSpec(.fill(64, 64), .png),
                RenditionSpec(.fit(400, 400), .webp), RenditionSpec(.none, .original),
                RenditionSpec(.fit(10, 10), .avif),
            ]
            let made = try await codec.renditions(of: .bytes(bytes), as: specs)
            #expect(made.map(\.format) == [.jpeg, .png, .webp, .jpeg, .avif])
            #expect(made.map(\.size.width) == [400, 64, 400, 800, 10])
            #expect(made.map(\.isVerbatim) == [false, false, false, true, false])
            #expect(Set([made[0], made[1], made[2], made[4]].map(\.decoding)).count == 1)
            for rendition in made {
                #expect(try await codec.bitmap(of: .bytes(rendition.bytes)).corners == uprightCorners)
            }
        }
    }

    @Test func `each target size comes out exactly`() async throws {
        try await withEachCodec { codec in
            let bytes = try await codec.encode(fourCorners(1001, 667), as: .png)
            for edge in [1, 2, 3, 7, 33, 100, 256, 333, 499, 500, 501, 667, 999, 1000] {
                for transform in [Transform.fill(edge, 19), .stretch(edge, edge), .stretch(1999, edge)] {
                    let pixels = try await codec.bitmap(of: .bytes(bytes), transform)
                    #expect(pixels.size == transform.box || pixels.size.height < transform.box.height)
                }
            }
        }
    }

    @Test(arguments: [OutputFormat.jpeg, .png, .webp, .avif])
    func `no metadata comes out`(_ output: OutputFormat) async throws {
        try await withEachCodec { codec in
            let jpeg = try await codec.encode(fourCorners(80, 80), as: .jpeg)
            let tagged = HandMade.jpeg(jpeg, orientation: 6)
            let made = try await codec.renditions(
                of: .bytes(tagged),
                as: [RenditionSpec(.fit(40, 40), output)]
            )
            let text = String(decoding: made[0].bytes, as: UTF8.self)
            for mark in ["Exif", "EXIF", "eXIf", "II*", "MM\0*", "tEXt", "http"] {
                #expect(!text.contains(mark))
            }
        }
    }

    @Test func `grey stays grey`() async throws {
        try await withEachCodec { codec in
            let grey = HandMade.greyPNG
            let made = try await codec.renditions(of: .bytes(grey), as: [RenditionSpec(.fit(1, 1), .png)])
            #expect(made[0].bytes[25] == 0)
        }
    }

    @Test func `the same bytes come out of a file as out of memory`() async throws {
        try await withEachCodec { codec in
            let bytes = try await codec.encode(noise(300, 200), as: .jpeg)
            try await withTemporaryFile(bytes) { path in
                let specs = [RenditionSpec(.fit(100, 100), .jpeg), RenditionSpec(.none, .original)]
                let fromFile = try await codec.renditions(of: .file(path: path), as: specs)
                let fromMemory = try await codec.renditions(of: .bytes(bytes), as: specs)
                #expect(fromFile.map(\.bytes) == fromMemory.map(\.bytes))
                #expect(fromFile[1].bytes == bytes)
            }
        }
    }

    @Test func `a file that is not there, and a folder, are not readable`() async throws {
        try await withEachCodec { codec in
            for path in ["/nonexistent/picture.jpg", "/tmp", "/dev/null"] {
                let found = await code { _ = try await codec.facts(of: .file(path: path)) }
                #expect(found == .fileNotReadable)
            }
        }
    }

    @Test func `under original, bytes stay as they are until something changes`() async throws {
        try await withEachCodec { codec in
            let animated = HandMade.gif(width: 20, height: 10, frames: 3)
            let keep = [RenditionSpec(.fit(100, 100), .original), RenditionSpec(.fit(10, 10), .original)]
            let gifs = try await codec.renditions(of: .bytes(animated), as: keep)
            #expect(gifs[0].bytes == animated)
            #expect(gifs[1].format == .gif)
            #expect(try await codec.facts(of: .bytes(gifs[1].bytes)).frames == 1)
            let jpeg = try await codec.encode(fourCorners(60, 40), as: .jpeg)
            let turned = HandMade.jpeg(jpeg, orientation: 3)
            let made = try await codec.renditions(of: .bytes(turned), as: [RenditionSpec(.none, .original)])
            #expect(!made[0].isVerbatim)
        }
    }

    @Test func `an animated picture gives its first frame, and says how many there are`() async throws {
        try await withEachCodec { codec in
            let gif = HandMade.gif(width: 20, height: 10, frames: 5)
            let made = try await codec.renditions(of: .bytes(gif), as: [RenditionSpec(.none, .png)])
            #expect(made[0].source.frames == 5)
            #expect(made[0].size == PixelSize(width: 20, height: 10))
            #expect(try await codec.bitmap(of: .bytes(made[0].bytes)).pixel(5, 5)[..<3] == [255, 0, 0])
        }
    }

    @Test func `encoder options are applied`() async throws {
        try await withEachCodec { codec in
            var options = EncodeOptions()
            options.isProgressive = true
            options.isLossless = true
            options.usesPalette = true
            let picture = fourCorners(64, 64)
            let jpeg = try await codec.encode(picture, as: .jpeg, options: options)
            #expect(try await codec.facts(of: .bytes(jpeg)).needsWholePicture)
            let png = try await codec.encode(picture, as: .png, options: options)
            #expect(png[25] == 3)
            #expect(try await codec.facts(of: .bytes(png)).needsWholePicture)
            let webp = try await codec.encode(picture, as: .webp, options: options)
            #expect(try await codec.bitmap(of: .bytes(webp)) == picture)
        }
    }

    @Test(arguments: [0, 2, 4, 6])
    func `a PNG with 16 bits a sample keeps them if it is asked for, whatever else is`(
        _ colour: Int
    ) async throws {
        let source = PNGMaker(24, 16, colour: colour, depth: 16).png
        let specs = [
            RenditionSpec(.none, .png16), RenditionSpec(.none, .png), RenditionSpec(.fit(12, 12), .png16),
        ]
        try await withEachCodec { codec in
            let made = try await codec.renditions(of: .bytes(source), as: specs)
            var facts: [ImageFacts] = []
            for picture in made { facts.append(try await codec.facts(of: .bytes(picture.bytes))) }
            #expect(facts.map(\.bitDepth) == [16, 8, 16])
            #expect(facts.map(\.size.width) == [24, 24, 12])
            let again = try await codec.renditions(of: .bytes(made[0].bytes), as: [specs[0]])
            #expect(again[0].bytes == made[0].bytes)
            let shallow = try await codec.renditions(of: .bytes(made[1].bytes), as: [specs[0]])
            #expect(try await codec.facts(of: .bytes(shallow[0].bytes)).bitDepth == 16)
        }
    }

    @Test func `16 bits a sample and a step that has 8 are refused`() async throws {
        let edits: [(inout PictureEdits) -> Void] = [
            { $0.blur = 1 }, { $0.sharpen = 1 }, { $0.pixelation = 2 },
            { $0.blurredAreas = [RelativeArea(left: 0, top: 0, right: 1, bottom: 1)].compactMap { $0 } },
        ]
        try await withEachCodec { codec in
            let picture = fourCorners(8, 8)
            let bytes = try await codec.encode(picture, as: .png)
            for edit in edits {
                var edited = PictureEdits()
                edit(&edited)
                let spec = RenditionSpec(.none.edited(edited), .png16)
                #expect(
                    await code { _ = try await codec.renditions(of: .bytes(bytes), as: [spec]) }
                        == .invalidRequest
                )
            }
            var processed = Transform.none
            processed.processors = [.greyscale]
            let spec = RenditionSpec(processed, .png16)
            #expect(
                await code { _ = try await codec.renditions(of: .bytes(bytes), as: [spec]) }
                    == .invalidRequest
            )
            #expect(await code { _ = try await codec.encode(picture, as: .png16) } == .invalidRequest)
        }
    }

    @Test func `a box that is no size, and pixels as original, are invalid requests`() async throws {
        try await withEachCodec { codec in
            let bytes = try await codec.encode(fourCorners(8, 8), as: .png)
            for box in [(-1, 10), (10, -1), (70_000, 10)] {
                let spec = RenditionSpec(.fit(box.0, box.1), .png)
                #expect(
                    await code { _ = try await codec.renditions(of: .bytes(bytes), as: [spec]) }
                        == .invalidRequest
                )
            }
            #expect(
                await code { _ = try await codec.encode(fourCorners(8, 8), as: .original) } == .invalidRequest
            )
        }
    }

    /// The corners of `fourCorners` after the turn that `orientation` asks for.
    private func turnedCorners(_ orientation: Int) -> [Corner?] {
        let order = [
            [0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0], [2, 3, 0, 1],
            [0, 2, 1, 3], [2, 0, 3, 1], [3, 1, 2, 0], [1, 3, 0, 2],
        ][orientation - 1]
        return order.map { uprightCorners[$0] }
    }
}
