import CalotypeCore
import Testing

@testable import CalotypeBulk

struct ContactSheetTests {
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
            sheet.add(.failed(item, LoadFailure(error)), picture: nil, start: .zero, end: .seconds(1))
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
        let outcome = FetchOutcome.ok(ListItem(index: 5, url: "http://x"), rendition, file: "000000005.jpg")
        sheet.add(outcome, picture: rendition.bytes, start: .zero, end: .milliseconds(20))
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
        var timeline = Timeline()
        var outcome = FetchOutcome.ok(
            ListItem(index: 0, url: "x"),
            ScriptedLoader.rendition(1, .jpeg),
            file: "000000000.jpg"
        )
        outcome.timings = ScriptedLoader.timings
        let bar = TimelineBar(outcome, start: .zero, end: .milliseconds(20))
        for _ in 0..<(Timeline.limit + 3) { timeline.add(bar) }
        #expect(timeline.html().contains("3 more are not"))
    }
}
