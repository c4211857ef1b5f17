import CalotypeHTTPMessages
import Testing

struct ContentRangeTests {
    @Test(
        arguments: [
            ("bytes 0-499/1234", 0, 499, 1234), ("bytes 500-1233/1234", 500, 1233, 1234),
            ("Bytes 0-0/1", 0, 0, 1),
            ("bytes 0-499/*", 0, 499, nil),
        ] as [(String, Int, Int, Int?)]
    )
    func `a Content-Range is read`(text: String, first: Int, last: Int, total: Int?) throws {
        let range = try #require(ContentRange(text))
        #expect(range.positions == first...last)
        #expect(range.total == total)
    }

    @Test func `a Content-Range without bytes tells the length`() throws {
        let range = try #require(ContentRange("bytes */1234"))
        #expect(range.positions == nil)
        #expect(range.total == 1234)
    }

    @Test(arguments: [
        "", "bytes", "bytes 0-499", "bytes 5-4/10", "bytes 0-10/10", "bytes */*", "bytes -5/10",
        "bytes 5-/10", "items 0-1/2",
        "bytes=0-1/2", "bytes 0-1/2/3", "bytes 0-1-2/3", "bytes +0-1/2", "bytes 0-1/-2", "bytes 0-1/x",
        "bytes x-1/2",
        "bytes 0-9999999999999999999/99999999999999999999", "bytes 0-1 /2", "bytes ٠-1/2",
    ])
    func `a Content-Range that contradicts itself is none`(text: String) {
        #expect(ContentRange(text) == nil)
    }
}
