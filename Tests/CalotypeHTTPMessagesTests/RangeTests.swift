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

    @Test func `a Content-Range without bytes contains the length`() throws {
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

struct ByteRangeTests {
    @Test(
        arguments: [
            ("bytes=0-0", 0..<1), ("bytes=0-", 0..<10), ("bytes=5-99", 5..<10), ("Bytes= 9-9 ", 9..<10),
            ("bytes=-3", 7..<10), ("bytes=-99", 0..<10), ("bytes=10-", nil), ("bytes=-0", nil),
            ("bytes=5-99999999999999999999", 5..<10), ("bytes=99999999999999999999-", nil),
        ] as [(String, Range<Int>?)]
    )
    func `a range has a part of ten bytes, or none`(text: String, part: Range<Int>?) throws {
        #expect(try #require(ByteRange(text)).resolved(in: 10) == part)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=-", "bytes=1-0", "bytes=0-1,3-4", "items=0-1", "bytes=a-", "bytes=+0-1",
        "bytes=0-1-2", "bytes 0-1",
    ])
    func `another value is ignored`(text: String) {
        #expect(ByteRange(text) == nil)
    }

    @Test func `a Content-Range is written`() {
        #expect(ContentRange(0..<500, of: 1234).text == "bytes 0-499/1234")
        #expect(ContentRange(nil, of: 1234).text == "bytes */1234")
        #expect(ContentRange("bytes 0-499/*")?.text == "bytes 0-499/*")
    }
}

struct EntityTagListTests {
    @Test(
        arguments: [
            ([], nil), (["*"], .any), (["\"a\""], ["\"a\""]),
            (["\"a\", W/\"b\" ,", "c"], ["\"a\"", "W/\"b\"", "c"]),
            (["\"a,b\",\"c\""], ["\"a,b\"", "\"c\""]), ([""], []), (["*", "\"a\""], ["*", "\"a\""]),
        ] as [([String], EntityTagList?)]
    )
    func `the tags of all fields are one list`(values: [String], list: EntityTagList?) {
        #expect(EntityTagList(values) == list)
    }
}

extension EntityTagList: ExpressibleByArrayLiteral {
    /// Creates a list of the tags with these texts.
    public init(arrayLiteral elements: String...) {
        self = .tags(elements.compactMap(EntityTag.init))
    }
}
