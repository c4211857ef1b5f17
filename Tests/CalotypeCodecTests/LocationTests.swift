import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeCodec

/// Photos that tell where they were made, and what is left of that.
@Suite(.timeLimit(.minutes(2)))
struct LocationTests {
    private static let camera = "Camera Works"
    /// A rational number that stands nowhere else.
    private static let degrees = 48_151_623
    private static let packet = Array("<x:xmpmeta><a exif:GPSLatitude='48,51.5N' x='1'/></x:xmpmeta>".utf8)
    private static let plainPacket = Array("<x:xmpmeta><a dc:title='A latter-day title'/></x:xmpmeta>".utf8)

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .avif, .heic], [false, true])
    func `the position goes, and everything else stays`(_ format: ImageFormat, _ isLittle: Bool) async throws
    {
        try await withImageCodec { codec in
            let photo = try await Self.photo(codec, format, Self.exif(isLittle: isLittle))
            #expect(Self.tells(photo))
            let wiped = try #require(try LocationWiping.wiped(.bytes(photo)))
            #expect(!Self.tells(wiped))
            #expect(String(decoding: wiped, as: UTF8.self).contains(Self.camera))
            #expect(wiped.count == photo.count || format == .png)
            #expect(try await codec.facts(of: .bytes(wiped)) == codec.facts(of: .bytes(photo)))
            #expect(try await codec.bitmap(of: .bytes(wiped)) == codec.bitmap(of: .bytes(photo)))
            #expect(try LocationWiping.wiped(.bytes(wiped)) == nil)
            try await withTemporaryFile(photo) { path in
                let again = try LocationWiping.wiped(.file(path: path))
                #expect(again == wiped)
            }
        }
    }

    @Test(arguments: ImageFormat.encodable)
    func `a photo without a location is left unchanged`(_ format: ImageFormat) async throws {
        try await withImageCodec { codec in
            let photo = try await Self.photo(codec, format, Self.exif(hasPosition: false), Self.plainPacket)
            #expect(try LocationWiping.wiped(.bytes(photo)) == nil)
        }
    }

    @Test func `no trace of the position is left in a block, and its other fields can be read`() throws {
        for isLittle in [false, true] {
            let block = Self.exif(isLittle: isLittle)
            var finder = LocationFinder(block)
            try finder.searchEXIF(0..<block.count)
            let wiped = finder.patched(block)
            var reader = ByteReader(wiped)
            let directory = try TIFFDirectory(&reader, in: 0..<wiped.count)
            #expect(directory.entries.count == 2 * 12 && directory.next == 0)
            #expect(try directory.field(&reader, tag: 34_853) == nil)
            #expect(directory.orientation(&reader) == 6)
            let camera = try #require(try directory.field(&reader, tag: 271))
            #expect(try reader.bytes(camera.start, camera.count - 1) == Array(Self.camera.utf8))
        }
    }

    @Test func `a TIFF loses its position on all pages`() throws {
        let block = Self.exif()
        #expect(try LocationWiping.wiped(.bytes(block)).map(Self.tells) == false)
    }

    @Test func `a packet with a location is removed, and another one stays`() async throws {
        try await withImageCodec { codec in
            for format in [ImageFormat.jpeg, .png, .webp] {
                let photo = try await Self.photo(codec, format, Self.exif(hasPosition: false), Self.packet)
                let wiped = try #require(try LocationWiping.wiped(.bytes(photo)))
                #expect(!String(decoding: wiped, as: UTF8.self).contains("48,51.5N"))
                #expect(String(decoding: wiped, as: UTF8.self).contains(Self.camera))
                #expect(try LocationWiping.wiped(.bytes(wiped)) == nil)
            }
        }
    }

    @Test
    func `positions behind the frame header, in a second picture and in a video behind the first go too`()
        async throws
    {
        try await withImageCodec { codec in
            let plain = try await codec.encode(fourCorners(60, 40), as: .jpeg)
            let late = HandMade.jpeg(plain, exifBehindFrame: Self.exif())
            let second = HandMade.jpeg(plain, marker: 0xE1, segment: Array("Exif\0\0".utf8) + Self.exif())
            let position = "+48.8577+002.295/"
            let atom = HandMade.big(position.utf8.count, 2) + [0x15, 0xC7] + Array(position.utf8)
            let video = Array("....ftypmp42....moov....udta".utf8) + HandMade.big(atom.count + 8, 4) + [0xA9]
            let photo = late + second + video + Array("xyz".utf8) + atom
            let wiped = try #require(try LocationWiping.wiped(.bytes(photo)))
            #expect(!Self.tells(wiped) && !String(decoding: wiped, as: UTF8.self).contains("+48.8577"))
            #expect(wiped.count == photo.count)
        }
    }

    @Test func `texts of a PNG with a location, or with hidden contents, are removed`() async throws {
        try await withImageCodec { codec in
            let plain = try await codec.encode(fourCorners(60, 40), as: .png)
            for (kind, text) in [
                ("zTXt", "Raw profile type exif\0\0secret"), ("tEXt", "exif:GPSLatitude\0secret"),
                ("iTXt", "XML:com.adobe.xmp\0\u{1}\0\0\0secret"),
            ] {
                let photo = HandMade.png(plain, inserting: kind, Array(text.utf8))
                #expect(try LocationWiping.wiped(.bytes(photo)) == plain, "\(text)")
            }
            let photo = HandMade.png(plain, inserting: "tEXt", Array("Title\0A title".utf8))
            #expect(try LocationWiping.wiped(.bytes(photo)) == nil)
        }
    }

    @Test func `what is no picture is refused`() async {
        #expect(await code { _ = try LocationWiping.wiped(.bytes(Array("text".utf8))) } == .unsupportedFormat)
        #expect(await code { _ = try LocationWiping.wiped(.file(path: "/nonexistent")) } == .fileNotReadable)
    }

    @Test func `damaged photos never trap, and keep their length`() async throws {
        try await withImageCodec { codec in
            var random = SplitMix64(seed: 17)
            for format in ImageFormat.encodable {
                let whole =
                    format == .tiff
                    ? Self.exif() : try await Self.photo(codec, format, Self.exif(), Self.packet)
                for _ in 0..<2000 {
                    var bytes = whole
                    for _ in 0..<3 {
                        bytes[.random(in: 0..<bytes.count, using: &random)] = .random(
                            in: 0...255,
                            using: &random
                        )
                    }
                    bytes = Array(bytes.prefix(.random(in: 0...bytes.count, using: &random)))
                    // What has become no picture is refused.
                    let wiped = (try? LocationWiping.wiped(.bytes(bytes))) ?? nil
                    #expect(wiped == nil || wiped?.count == bytes.count || format == .png)
                }
            }
        }
    }

    private static func tells(_ bytes: [UInt8]) -> Bool {
        let marks = [HandMade.big(degrees, 4), HandMade.little(degrees, 4)]
        return bytes.indices.contains { index in marks.contains { bytes[index...].starts(with: $0) } }
    }

    private static func photo(
        _ codec: ImageCodec,
        _ format: ImageFormat,
        _ exif: [UInt8],
        _ xmp: [UInt8] = plainPacket
    ) async throws -> [UInt8] {
        var blocks = MetadataBlocks()
        (blocks.exif, blocks.xmp) = (exif, xmp)
        let picture = fourCorners(60, 40)
        switch format {
        case .jpeg, .png, .webp:
            return MetadataWriter.adding(blocks, to: try await codec.encode(picture, as: format), format)
        case .gif: return HandMade.gif(width: 60, height: 40, frames: 1)
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

    /// A block with a camera, an orientation and perhaps a position, which its own directory has.
    private static func exif(isLittle: Bool = false, hasPosition: Bool = true) -> [UInt8] {
        func number(_ value: Int, _ length: Int) -> [UInt8] {
            isLittle ? HandMade.little(value, length) : HandMade.big(value, length)
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(count, 4) + value
                + [UInt8](repeating: 0, count: 4 - value.count)
        }
        let count = hasPosition ? 3 : 2
        let texts = 8 + 2 + 12 * count + 4
        let camera = Array(Self.camera.utf8) + [0, 0]
        let position = texts + camera.count
        let rationals = position + 2 + 12 * 2 + 4
        var block = Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(count, 2)
        block += entry(271, 2, camera.count - 1, number(texts, 4)) + entry(274, 3, 1, number(6, 2))
        if hasPosition { block += entry(34_853, 4, 1, number(position, 4)) }
        block += number(0, 4) + camera
        guard hasPosition else { return block }
        block += number(2, 2) + entry(1, 2, 2, [78, 0]) + entry(2, 5, 3, number(rationals, 4)) + number(0, 4)
        return block + (0..<3).flatMap { number(degrees, 4) + number(1 + $0, 4) }
    }
}
