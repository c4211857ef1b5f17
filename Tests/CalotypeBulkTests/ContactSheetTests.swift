import CalotypeCore
import CalotypeFiles
import Testing

@testable import CalotypeBulk

struct ContactSheetTests {
    private static func outcome(of rendition: Rendition, at index: Int) -> FetchOutcome {
        var outcome = FetchOutcome(ListItem(index: index, url: "http://x"), .ok)
        let made = StateRecord.Made(
            format: rendition.format,
            bytes: rendition.bytes.count,
            size: rendition.size
        )
        outcome.renditions = [FetchedRendition(made, of: index)]
        return outcome
    }

    private static func made(_ side: Int, _ bytes: Int, _ format: ImageFormat = .jpeg) -> FetchedRendition {
        let size = PixelSize(width: side, height: side / 2)
        return FetchedRendition(
            StateRecord.Made(label: side, format: format, bytes: bytes, size: size),
            of: 0
        )
    }

    @Test func `a tile shows the smallest rendition that is sharp in it, else the largest`() {
        let sizes = [1024, 256, 512, 64].map { Self.made($0, 10) }
        #expect(SheetPicture.choice(of: sizes) == 1)
        #expect(SheetPicture.choice(of: [Self.made(32, 1), Self.made(128, 1)]) == 1)
        #expect(SheetPicture.choice(of: [Self.made(256, 9), Self.made(256, 5, .webp)]) == 1)
        #expect(SheetPicture.choice(of: [Self.made(128, 9), Self.made(128, 5, .webp)]) == 1)
        #expect(SheetPicture.choice(of: [Self.made(256, 5, .heic), Self.made(64, 9)]) == 1)
        #expect(SheetPicture.choice(of: [Self.made(256, 5, .tiff)]) == nil)
        #expect(SheetPicture.choice(of: []) == nil)
    }

    @Test func `a tile shows the sizes of its entry, and the number of files`() {
        var outcome = Self.outcome(of: ScriptedLoader.rendition(1, .jpeg), at: 7)
        outcome.renditions = [
            Self.made(64, 1), Self.made(64, 1, .webp), Self.made(256, 1), Self.made(256, 1, .webp),
        ]
        let html = String(decoding: SheetTile.html(outcome, picture: nil, elapsed: .zero), as: UTF8.self)
        #expect(html.contains("<b>000000007</b>"))
        #expect(html.contains("<span>64×32</span><span>256×128</span><span>4 files</span><span>4 B<"))
    }

    @Test func `whatever an outsider says is text on the page`() throws {
        let folder = try Folder()
        var sheet = try ContactSheet(path: folder.sheet, subject: "</title><script>alert(1)</script>")
        for (index, url) in [
            "javascript:alert(1)", "http://x/\"><script>alert(2)</script>", "http://x/\u{202E}gpj",
        ].enumerated() {
            let error = CalotypeError(
                ErrorCode(rawValue: "<i>"),
                "<img src=x onerror='alert(3)'>",
                stage: .body
            )
            let item = ListItem(index: index, url: url)
            sheet.add(.failed(item, error), picture: nil, start: .zero, end: .seconds(1))
        }
        sheet.finish(RunSummary())
        let html = try folder.text(folder.sheet)
        #expect(sheet.problem == nil)
        #expect(html.split(separator: "<script", omittingEmptySubsequences: false).count == 2)
        for bad in ["<img src=x", "<i>", "href=\"javascript", "\u{202E}", "onerror='"] {
            #expect(!html.contains(bad), "\(bad)")
        }
        #expect(html.contains("href=\"http://x/&quot;&gt;"))
    }

    @Test func `a picture is in the page itself`() throws {
        let folder = try Folder()
        var sheet = try ContactSheet(path: folder.sheet, subject: "x")
        var rendition = ScriptedLoader.rendition(4, .jpeg)
        rendition.bytes = [1, 2, 3, 250]
        let outcome = Self.outcome(of: rendition, at: 5)
        let picture = SheetPicture(rendition: outcome.renditions[0], bytes: rendition.bytes)
        sheet.add(outcome, picture: picture, start: .zero, end: .milliseconds(20))
        sheet.finish(RunSummary())
        let html = try folder.text(folder.sheet)
        #expect(html.contains("src=\"data:image/jpeg;base64,AQID+g==\""))
        #expect(html.contains("id=\"i5\" style=\"order:5\""))
    }

    @Test(arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")])
    func `base 64 gives the vectors of RFC 4648`(_ text: String, _ encoded: String) {
        #expect(String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self) == encoded)
    }

    @Test func `a timeline beyond its limit says so`() {
        var timeline = SheetTimeline()
        var outcome = Self.outcome(of: ScriptedLoader.rendition(1, .jpeg), at: 0)
        outcome.timings = ScriptedLoader.timings
        let bar = TimelineBar(outcome, start: .zero, end: .milliseconds(20))
        for _ in 0..<(SheetTimeline.limit + 3) { timeline.add(bar) }
        #expect(timeline.html().contains("3 more are not"))
    }
}
