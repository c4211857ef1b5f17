import CalotypeCodec
import CalotypeCore
import CalotypeStore
import Testing

@testable import Calotype

/// Which requests share what: a row for each part of a request.
struct KeyTests {
    /// What two requests share.
    struct Shared: Equatable, Sendable {
        /// The download.
        var source = false
        /// The picture, in flight and in memory.
        var picture = false
        /// The stored picture.
        var stored = false

        static let everything = Shared(source: true, picture: true, stored: true)
        static let nothing = Shared()
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let shared: Shared
        let change: @Sendable (inout ImageRequest) -> Void

        init(_ name: String, _ shared: Shared, _ change: @escaping @Sendable (inout ImageRequest) -> Void) {
            testDescription = name
            self.shared = shared
            self.change = change
        }
    }

    private static let source = Shared(source: true)

    private enum Ticket: RequestInfo.Key { typealias Value = Int }

    static let rows = [
        Row("nothing", .everything) { _ in },
        Row("priority", .everything) { $0.priority = .veryHigh },
        Row("deadline", .everything) { $0.deadline = .now },
        Row("upper-case host", source) { $0.source = .url("http://A.test/1.jpg") },
        Row("default port", source) { $0.source = .url("http://a.test:80/1.jpg") },
        Row("fragment", source) { $0.source = .url("http://a.test/1.jpg#top") },
        Row("path", .nothing) { $0.source = .url("http://a.test/2.jpg") },
        Row("query", .nothing) { $0.source = .url("http://a.test/1.jpg?") },
        Row("scheme", .nothing) { $0.source = .url("https://a.test/1.jpg") },
        Row("port", .nothing) { $0.source = .url("http://a.test:81/1.jpg") },
        Row("credentials in the URL", .nothing) { $0.source = .url("http://me:secret@a.test/1.jpg") },
        Row("kind of source", .nothing) { $0.source = .file(path: "http://a.test/1.jpg") },
        Row("provider", .nothing) { $0.source = .provided(ImageProvider(id: "http://a.test/1.jpg") { [] }) },
        Row("header", .nothing) { $0.headers = [HeaderField("Authorization", "Bearer 1")] },
        Row("empty header value", .nothing) { $0.headers = [HeaderField("Authorization", "")] },
        Row("partition", .nothing) { $0.partition = "a" },
        Row("empty partition", .nothing) { $0.partition = "" },
        Row("cache key", .nothing) { $0.cacheKey = "http://a.test/1.jpg" },
        Row("user info", .everything) { $0.userInfo[Ticket.self] = 7 },
        Row("byte limit", Shared(stored: true)) { $0.limits.sourceBytes = .kibibytes(1) },
        Row("pixel limit", Shared(stored: true)) { $0.limits.pixels = 1 },
        Row("reload", Shared(stored: true)) { $0.cachePolicy = .reload },
        Row("no store", Shared(stored: true)) { $0.cachePolicy = .noStore },
        Row("cache only (23)", Shared(stored: true)) { $0.cachePolicy = .cacheOnly },
        Row("size", source) { $0.transform = .fit(32, 33) },
        Row("mode", source) { $0.transform = .fill(32, 32) },
        Row("enlarging", source) { $0.transform = .fit(32, 32, enlarges: true) },
        Row("processors", source) { $0.processors = [.greyscale] },
        Row("format", source) { $0.output = .webp },
        Row("quality", source) { $0.output = .jpeg(quality: 81) },
        Row("original", source) { $0.output = .original(quality: 82) },
    ]

    @Test(arguments: rows)
    func `requests share what they have in common and no more`(row: Row) throws {
        let one = ImageRequest("http://a.test/1.jpg", .fit(32, 32))
        var other = one
        row.change(&other)
        let (keys, others) = (try Keys(one), try Keys(other))
        #expect(
            Shared(
                source: keys.source == others.source,
                picture: keys.picture == others.picture,
                stored: keys.stored == others.stored
            ) == row.shared
        )
    }

    private struct Keys {
        let source: SourceKey
        let picture: RenditionKey
        let stored: StoreKey?

        init(_ request: ImageRequest) throws {
            source = try SourceKey(request)
            picture = RenditionKey(request, .encoded(RenditionSpec(request.transform, request.output)))
            stored = StoreKey(picture)
        }
    }

    @Test func `headers distinguish requests by name, value, order and number`() throws {
        let lists = [
            [], [HeaderField("A", "1")], [HeaderField("A", "2")], [HeaderField("B", "1")],
            [HeaderField("A", "1"), HeaderField("B", "2")], [HeaderField("B", "2"), HeaderField("A", "1")],
            [HeaderField("A", "1"), HeaderField("A", "1")], [HeaderField("A", "1B2")],
            [HeaderField("A1", "")],
        ]
        let requests = lists.map { headers in
            var request = ImageRequest("http://a.test/1.jpg")
            request.headers = headers
            return request
        }
        let keys = try requests.map { try Keys($0) }
        #expect(Set(keys.map(\.source)).count == lists.count)
        #expect(Set(keys.map(\.picture)).count == lists.count)
        #expect(Set(keys.map(\.stored)).count == lists.count)
    }

    @Test func `requests with one cache key share everything, whatever their URLs`() throws {
        let requests = ["http://a.test/1.jpg?signature=1", "http://b.test/2.jpg"].map { url in
            var request = ImageRequest(url)
            request.cacheKey = "1"
            return request
        }
        let keys = try requests.map { try Keys($0) }
        #expect(keys[0].source == keys[1].source)
        #expect(keys[0].picture == keys[1].picture)
        #expect(keys[0].stored == keys[1].stored)
        #expect(StoreKey(keys[0].source) == StoreKey(keys[1].source))
        #expect(requests[0].sourceIdentity == keys[1].source.identity)
        #expect(keys[0].picture.sourceIdentity == keys[1].source.identity)
    }

    @Test func `the parts of a stored name cannot be mistaken for each other`() throws {
        var first = ImageRequest("http://a.test/1.jpg")
        first.partition = "a"
        var second = ImageRequest("http://a.test/1.jpg11:partition a")
        #expect(try Keys(first).stored != Keys(second).stored)
        first.partition = nil
        second = first
        second.partition = "partition "
        #expect(try Keys(first).stored != Keys(second).stored)
    }

    @Test func `a stored name is the same in every run`() throws {
        var request = ImageRequest("http://a.test/1.jpg", .fill(20, 10, enlarges: true), .webp(quality: 7))
        request.partition = "p"
        request.headers = [HeaderField("A", "b")]
        #expect(
            try Keys(request).stored?.text
                == "3:url19:http://a.test/1.jpg11:partition p18:fill 20x10 enlarge6:webp 71:A1:b"
        )
    }

    @Test func `each edit has its own stored name`() throws {
        let mark = EncodedPicture(name: "m", bytes: [])
        let upper = try #require(RelativeArea(left: 0, top: 0, right: 1, bottom: 0.5))
        let left = try #require(RelativeArea(left: 0, top: 0, right: 0.5, bottom: 1))
        let edits: [(inout PictureEdits) -> Void] = [
            { _ in }, { $0.frame = 1 }, { $0.trim = BorderTrim(threshold: 1) },
            { $0.trim = BorderTrim(threshold: 1, isEqualHorizontally: true) },
            { $0.trim = BorderTrim(threshold: 1, isEqualVertically: true) },
            { $0.trim = BorderTrim(threshold: 1, colour: .white) },
            { $0.crop = CropArea(width: 1, height: 2) },
            { $0.crop = CropArea(width: 1, height: 2, gravity: .centre) },
            { $0.crop = CropArea(width: 2, height: 1) }, { $0.gravity = .attention },
            { $0.gravity = .focus(x: 0, y: 0) }, { $0.gravity = .place(.centre, x: 1, y: 0) },
            { $0.gravity = .place(.north, x: 0, y: 0) }, { $0.least.width = 3 }, { $0.least.height = 3 },
            { $0.zoom.x = 2 }, { $0.zoom.y = 2 }, { $0.pixelRatio = 2 }, { $0.ignoresOrientation = true },
            { $0.quarterTurns = 1 }, { $0.flipsHorizontally = true }, { $0.flipsVertically = true },
            { $0.blurredAreas = [upper] }, { $0.blurredAreas = [left] },
            { $0.blur = 1 }, { $0.sharpen = 1 }, { $0.pixelation = 1 }, { $0.extended = .centre },
            { $0.extendedToAspectRatio = .centre }, { $0.padding.top = 1 }, { $0.padding.left = 1 },
            { $0.background = .white }, { $0.background = Colour(red: 25, green: 52, blue: 55) },
            { $0.watermark = Watermark(mark) }, { $0.watermark = Watermark(mark, opacity: 0.5) },
            { $0.watermark = Watermark(mark, position: .tiled(x: 0, y: 0)) },
            { $0.watermark = Watermark(mark, scale: 1) },
            { $0.watermark = Watermark(EncodedPicture(name: "m, side 1", bytes: [])) },
            {
                $0.watermark = Watermark(mark)
                $0.mostSide = 1
            }, { $0.mostSide = 1 }, { $0.mostBytes = ByteCount(1) }, { $0.kept = .all },
            { $0.kept = .copyright },
        ]
        let keys = try edits.map { edit in
            var edited = PictureEdits()
            edit(&edited)
            return try Keys(ImageRequest("http://a.test/1.jpg", .fit(9, 9).edited(edited)))
        }
        #expect(Set(keys.map(\.picture)).count == edits.count)
        #expect(Set(keys.map(\.stored)).count == edits.count)
        let outputs: [OutputFormat] = [
            .gif, .tiff, .heic(quality: 1), .heic(quality: 2), .png, .png16, .jpeg(quality: 1),
            .progressiveJPEG(quality: 1), .webp(quality: 25), .losslessWebP, .jxl(quality: 1),
        ]
        let stored = try outputs.map { try Keys(ImageRequest("http://a.test/1.jpg", .none, $0)).stored }
        #expect(Set(stored).count == outputs.count)
    }

    @Test func `pixels and encoded pictures are distinguished, and pixels have no stored name`() {
        let request = ImageRequest("http://a.test/1.jpg", .fit(32, 32))
        let encoded = RenditionKey(request, .encoded(RenditionSpec(request.transform, request.output)))
        let pixels = RenditionKey(request, .pixels(request.transform))
        #expect(encoded != pixels)
        #expect(StoreKey(pixels) == nil)
    }

    @Test func `bytes with equal length and equal ends are still different sources`() throws {
        var bytes = [UInt8](repeating: 7, count: 1000)
        let one = ImageRequest(.bytes(bytes))
        bytes[500] = 8
        let other = ImageRequest(.bytes(bytes))
        #expect(one.source.hashValue == other.source.hashValue)
        #expect(try SourceKey(one) != SourceKey(other))
        let keys = [one, other].map { RenditionKey($0, .pixels($0.transform)) }
        #expect(keys[0] != keys[1])
    }

    @Test func `what lies on this machine already is never stored`() throws {
        for source in [ImageSource.file(path: "/a.jpg"), .bytes([1])] {
            let keys = try Keys(ImageRequest(source))
            #expect(keys.stored == nil && !keys.picture.isStorable)
        }
        let provided = try Keys(ImageRequest(.provided(ImageProvider(id: "a") { [] })))
        #expect(provided.stored != nil && provided.picture.isStorable)
    }

    @Test func `unchecked bytes are a source of their own`() throws {
        let request = ImageRequest("http://a.test/1.jpg")
        #expect(try SourceKey(request, .picture) != SourceKey(request, .anything))
    }

    @Test func `providers are distinguished by their names alone`() throws {
        let (one, same) = (ImageProvider(id: "a") { [1] }, ImageProvider(id: "a") { [2] })
        let other = ImageProvider(id: "b") { [1] }
        #expect(try SourceKey(ImageRequest(.provided(one))) == SourceKey(ImageRequest(.provided(same))))
        #expect(try SourceKey(ImageRequest(.provided(one))) != SourceKey(ImageRequest(.provided(other))))
    }
}
