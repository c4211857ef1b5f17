import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

/// What `.original` gives of pictures that nothing but metadata is taken out of.
@Suite(.timeLimit(.minutes(2)))
struct StrippingTests {
    private static let secret = "48 deg 51 min north"
    private static let original = RenditionSpec(.none, .original)

    @Test(arguments: ImageFormat.encodable)
    func `whatever the size, no metadata comes out, and no pixel changes where none has to`(
        _ format: ImageFormat
    ) async throws {
        try await withEachCodec { codec in
            let source = try await Self.tagged(codec, format)
            #expect(Self.tells(source))
            let pixels = try await codec.bitmap(of: .bytes(source))
            let specs = [Transform.none, .fit(500, 500), .fit(60, 40), .fit(59, 39), .fit(10, 10)].map {
                RenditionSpec($0, .original)
            }
            let made = try await codec.renditions(of: .bytes(source), as: specs)
            for rendition in made {
                #expect(!Self.tells(rendition.bytes), "\(rendition.size)")
                #expect(rendition.format == format)
                #expect(try await codec.facts(of: .bytes(rendition.bytes)).profile == nil)
            }
            #expect(made.prefix(3).allSatisfy { $0.isVerbatim == (format != .tiff) })
            #expect(try await codec.bitmap(of: .bytes(made[0].bytes)) == pixels)
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp])
    func `a picture in sRGB loses its profile, and one in another space is encoded again`(
        _ format: ImageFormat
    ) async throws {
        try await withEachCodec { codec in
            let plain = try await codec.encode(fourCorners(60, 40), as: format)
            var blocks = MetadataBlocks()
            blocks.profile = HandMade.profile(HandMade.sRGB)
            let same = try await codec.renditions(
                of: .bytes(MetadataWriter.adding(blocks, to: plain, format)),
                as: [Self.original]
            )
            #expect(same[0].isVerbatim)
            #expect(try await codec.bitmap(of: .bytes(same[0].bytes)) == codec.bitmap(of: .bytes(plain)))
            blocks.profile = HandMade.profile(HandMade.displayP3)
            let wide = MetadataWriter.adding(blocks, to: plain, format)
            let made = try await codec.renditions(of: .bytes(wide), as: [Self.original])
            #expect(!made[0].isVerbatim)
            #expect(try await codec.facts(of: .bytes(made[0].bytes)).profile == nil)
            // The colours are those that the profile tells of, not the bare samples.
            let (shown, wanted) = (
                try await codec.bitmap(of: .bytes(made[0].bytes)).pixel(50, 5),
                try await codec.bitmap(of: .bytes(wide)).pixel(50, 5)
            )
            #expect(zip(shown, wanted).allSatisfy { abs(Int($0) - Int($1)) < 12 }, "\(shown) \(wanted)")
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .avif])
    func `an original that is to keep its metadata is the source's very bytes`(
        _ format: ImageFormat
    ) async throws {
        try await withImageCodec { codec in
            let source = try await Self.tagged(codec, format)
            let specs = [[.all, .profile], .all, .copyright].map { (kept: KeptMetadata) in
                var edits = PictureEdits()
                edits.kept = kept
                return RenditionSpec(Transform.none.edited(edits), .original)
            }
            let made = try await codec.renditions(of: .bytes(source), as: specs)
            #expect(made.map(\.isVerbatim) == [true, true, format != .avif])
            #expect(made[0].bytes == source && made[1].bytes == source)
            #expect(!Self.tells(made[2].bytes))
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp])
    func `a copyright that is to be kept stays alone, and the picture is not encoded again`(
        _ format: ImageFormat
    ) async throws {
        try await withImageCodec { codec in
            let plain = try await codec.encode(fourCorners(60, 40), as: format)
            var blocks = MetadataBlocks()
            blocks.exif = EXIFBlock.sample(Array("(c) Somebody".utf8), tag: 33_432)
            blocks.xmp = Array(Self.secret.utf8)
            var edits = PictureEdits()
            edits.kept = .copyright
            let made = try await codec.renditions(
                of: .bytes(MetadataWriter.adding(blocks, to: plain, format)),
                as: [RenditionSpec(Transform.none.edited(edits), .original)]
            )
            #expect(made[0].isVerbatim && !Self.tells(made[0].bytes))
            #expect(String(decoding: made[0].bytes, as: UTF8.self).contains("(c) Somebody"))
            #expect(try await codec.bitmap(of: .bytes(made[0].bytes)) == codec.bitmap(of: .bytes(plain)))
        }
    }

    @Test func `a JPEG in CMYK comes out in sRGB`() async throws {
        try await withEachCodec { codec in
            let blocks = (0..<24).map { [10 * $0, 250 - 10 * $0, 5 * $0, 100] }
            let cmyk = HandMade.flatJPEG(blocks, columns: 6, adobe: 0)
            let made = try await codec.renditions(of: .bytes(cmyk), as: [Self.original])
            #expect(!made[0].isVerbatim)
            #expect(try JPEGReader(.memory(made[0].bytes)).header(keepsProfile: false).components == 3)
        }
    }

    @Test func `a JPEG keeps what decoders need, and loses its thumbnail and what follows it`() throws {
        let scan = HandMade.flatJPEG([[100, 20, 30], [20, 100, 30]], columns: 2, adobe: 0)
        let jfif = Array("JFIF".utf8) + [0, 1, 2, 1, 0, 72, 0, 72]
        let source =
            HandMade.jpeg(scan, marker: 0xE0, segment: jfif + [1, 1] + [9, 9, 9])
            + Array(Self.secret.utf8)
        let stripped = try #require(JPEGStripping.stripped(source))
        #expect(stripped == HandMade.jpeg(scan, marker: 0xE0, segment: jfif + [0, 0]))
        // Twice is as good as once.
        #expect(JPEGStripping.stripped(stripped) == stripped)
    }

    @Test func `metadata between the scans of a progressive JPEG goes too`() async throws {
        try await withImageCodec { codec in
            var options = EncodeOptions()
            options.isProgressive = true
            let plain = try await codec.encode(noise(60, 40), as: .jpeg, options: options)
            let scan = try #require(
                plain.indices.dropLast().last { plain[$0] == 0xFF && plain[$0 + 1] == 0xDA }
            )
            let comment =
                [0xFF, 0xFE] + HandMade.big(Self.secret.utf8.count + 2, 2) + Array(Self.secret.utf8)
            let made = try await codec.renditions(
                of: .bytes(plain[..<scan] + comment + plain[scan...]),
                as: [Self.original]
            )
            #expect(made[0].bytes == plain)
        }
    }

    @Test func `an animation stays one, with its loop`() async throws {
        try await withImageCodec { codec in
            let plain = HandMade.gif(width: 20, height: 10, frames: 3)
            func block(_ kind: UInt8, _ head: [UInt8], _ text: [UInt8]) -> [UInt8] {
                var block: [UInt8] = [0x21, kind]
                block += head
                block.append(UInt8(text.count))
                return block + text + [0]
            }
            let loop = block(0xFF, [11] + Array("NETSCAPE2.0".utf8), [1, 0, 0])
            let comment = block(0xFE, [], Array(Self.secret.utf8))
            let xmp = block(0xFF, [11] + Array("XMP DataXMP".utf8), Array(Self.secret.utf8))
            let (head, frames) = (Array(plain[..<19]), Array(plain[19...]))
            let source: [UInt8] = [head, loop, comment, xmp, frames, Array(Self.secret.utf8)].flatMap(\.self)
            let made = try await codec.renditions(of: .bytes(source), as: [Self.original])
            #expect(made[0].bytes == head + loop + frames)
            #expect(made[0].source.frames == 3)
        }
    }

    @Test func `the frames of an animated WebP stay, without what is hidden in them`() throws {
        func chunk(_ kind: String, _ content: [UInt8]) -> [UInt8] {
            Array(kind.utf8) + HandMade.little(content.count, 4) + content
                + (content.count % 2 == 1 ? [0] : [])
        }
        func file(_ flags: UInt8, _ chunks: [UInt8]) -> [UInt8] {
            let body = Array("WEBP".utf8) + chunk("VP8X", [flags] + [UInt8](repeating: 0, count: 9)) + chunks
            return Array("RIFF".utf8) + HandMade.little(body.count, 4) + body
        }
        let (head, pixels) = ([UInt8](repeating: 7, count: 16), chunk("VP8L", [0x2F, 1, 2]))
        let secret = chunk("ABCD", Array(Self.secret.utf8))
        let animation = chunk("ANIM", [0, 0, 0, 0, 0, 0])
        let source = file(
            0x2E,
            secret + animation + chunk("ANMF", head + pixels + secret) + chunk("ANMF", head + pixels)
                + chunk("EXIF", Array(Self.secret.utf8))
        )
        let plain = file(0x02, animation + chunk("ANMF", head + pixels) + chunk("ANMF", head + pixels))
        #expect(WebPStripping.stripped(source + Array(Self.secret.utf8)) == plain)
    }

    @Test func `damaged files are left alone, and nothing traps`() async throws {
        try await withImageCodec { codec in
            var random = SplitMix64(seed: 16)
            for format in ImageFormat.encodable {
                let whole = try await Self.tagged(codec, format)
                for _ in 0..<1500 {
                    var bytes = whole
                    for _ in 0..<3 {
                        bytes[.random(in: 0..<bytes.count, using: &random)] = .random(
                            in: 0...255,
                            using: &random
                        )
                    }
                    bytes = Array(bytes.prefix(.random(in: 0...bytes.count, using: &random)))
                    for strip in [
                        JPEGStripping.stripped, PNGStripping.stripped, WebPStripping.stripped,
                        GIFStripping.stripped, HEIFStripping.stripped,
                    ] {
                        if let stripped = strip(bytes) { #expect(stripped.count <= bytes.count + 1) }
                    }
                }
            }
        }
    }

    private static func tells(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains(secret)
    }

    /// An upright picture with the secret wherever the format has a place for it.
    private static func tagged(_ codec: ImageCodec, _ format: ImageFormat) async throws -> [UInt8] {
        let text = Array(secret.utf8)
        var blocks = MetadataBlocks()
        blocks.exif = EXIFBlock.sample(text)
        blocks.xmp = Array("<x:xmpmeta>\(secret)</x:xmpmeta>".utf8)
        blocks.iptc = Array("Photoshop 3.0\0".utf8) + text
        let picture = fourCorners(60, 40)
        switch format {
        case .jpeg:
            var jpeg = MetadataWriter.adding(blocks, to: try await codec.encode(picture, as: format), format)
            for marker: UInt8 in [0xFE, 0xE0, 0xE2, 0xEB, 0xEE] {
                jpeg = HandMade.jpeg(jpeg, marker: marker, segment: text)
            }
            return jpeg + text
        case .png:
            var png = MetadataWriter.adding(blocks, to: try await codec.encode(picture, as: format), format)
            for kind in ["tEXt", "prVt", "sPLT"] { png = HandMade.png(png, inserting: kind, text) }
            return png.dropLast(12) + HandMade.chunk("tEXt", text) + HandMade.pngEnd + text
        case .webp:
            let webp = MetadataWriter.adding(blocks, to: try await codec.encode(picture, as: format), format)
            let chunk = Array("ABCD".utf8) + HandMade.little(text.count, 4) + text + [0]
            return webp[..<4] + HandMade.little(webp.count - 8 + chunk.count, 4) + webp[8...] + chunk + text
        case .gif:
            let gif = HandMade.gif(width: 60, height: 40, frames: 1)
            return gif.dropLast() + [0x21, 0xFE, UInt8(text.count)] + text + [0, 0x3B]
        case .avif, .heic, .tiff, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom:
            var edits = PictureEdits()
            edits.kept = .all
            let source = MetadataWriter.adding(blocks, to: try await codec.encode(picture, as: .png), .png)
            let output: OutputFormat =
                format == .avif ? .avif : format == .heic ? .heic(quality: 60) : .tiff
            let spec = RenditionSpec(Transform.none.edited(edits), output)
            return try await codec.renditions(of: .bytes(source), as: [spec])[0].bytes
        }
    }
}

extension EXIFBlock {
    /// A block of one directory with `text`, by default as the picture's description.
    fileprivate static func sample(_ text: [UInt8], tag: Int = 270) -> [UInt8] {
        Array("II*\0".utf8) + HandMade.little(8, 4) + HandMade.little(1, 2) + HandMade.little(tag, 2)
            + HandMade.little(2, 2) + HandMade.little(text.count + 1, 4) + HandMade.little(26, 4)
            + HandMade.little(0, 4) + text + [0]
    }
}
