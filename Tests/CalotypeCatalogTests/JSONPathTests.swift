import CalotypeCore
import CalotypeHTTP
import Testing

@testable import CalotypeCatalog

struct JSONPathTests {
    static let document = """
        {"photos": [
          {"url": "http://p.test/1.png", "sizes": {"s": "/small/1.png", "l": "../large/1.png"}},
          {"url": "http://p.test/2.png", "tags": ["a", "b"]},
          {"url": 7}, null, {"other": true}
         ],
         "a.b": {"it's": ["http://p.test/3.png"]},
         "empty": [], "one": "http://p.test/4.png", "bad": ["file:///etc/passwd", "", "//q.test/5.png"]}
        """

    private func listing(_ path: String) throws -> CatalogListing<CatalogPicture> {
        let base = try WebURL("http://d.test/lists/all.json")
        let document = try JSONDocument(Array(Self.document.utf8))
        return try PictureListing(document, try JSONPath(path), base: base).listing
    }

    @Test(arguments: [
        ("$.photos[*].url", ["http://p.test/1.png", "http://p.test/2.png"]),
        ("photos[*].url", ["http://p.test/1.png", "http://p.test/2.png"]),
        ("$['photos'].*[\"url\"]", ["http://p.test/1.png", "http://p.test/2.png"]),
        ("$.photos[0].url", ["http://p.test/1.png"]), ("$.photos[-4].url", ["http://p.test/2.png"]),
        ("$.photos[0].sizes[*]", ["http://d.test/large/1.png", "http://d.test/small/1.png"]),
        ("$['a.b']['it\\'s'][*]", ["http://p.test/3.png"]), ("$.one", ["http://p.test/4.png"]),
        ("$.empty[*]", []), ("$.bad[2]", ["http://q.test/5.png"]),
    ])
    func `a path leads to pictures`(_ path: String, _ urls: [String]) throws {
        #expect(try listing(path).entries.map(\.url) == urls)
    }

    @Test func `what is no URL is left out, with its place and the reason`() throws {
        let bad = try listing("$.bad[*]")
        #expect(bad.skipped.map(\.position) == [1, 2])
        let numbers = try listing("$.photos[*].url")
        #expect(numbers.skipped.map(\.reason) == ["it is not a string"])
        #expect(numbers.skipped.map(\.position) == [3])
    }

    @Test(arguments: [
        ("$.nothing[*].url", "$.nothing"), ("$.photos[*].src", "$.photos[*].src"),
        ("$.photos[9]", "$.photos[9]"),
        ("$.one.two", "$.one.two"), ("$.photos[0].sizes.m", "$.photos[0].sizes.m"),
        ("$[0]", "$[0]"), ("$.empty[0]", "$.empty[0]"),
    ])
    func `a path that leads nowhere says how far it came`(_ path: String, _ end: String) throws {
        let error = try #require(throws: CatalogError.self) { try listing(path) }
        #expect(error.code == .invalidDocument)
        #expect(error.message.hasSuffix("nothing at \(end)"))
    }

    @Test(arguments: [
        ("", 1), ("$.", 3), ("$..url", 3), ("$.a[", 5), ("$.a[x]", 5), ("$.a[0", 6), ("$.a['b]", 5),
        ("$a", 2), ("$.a[0]b", 7), ("$.a[?(@.b)]", 5), ("$.a[0:2]", 6), ("$.a[--1]", 5), ("$.a[]", 5),
        ("$" + String(repeating: ".a", count: 65), 131),
    ])
    func `a text that is no path says where`(_ text: String, _ place: Int) throws {
        let error = try #require(throws: CatalogError.self) { try JSONPath(text) }
        #expect(error.code == .invalidPath)
        #expect(error.message.contains("at character \(place):"), "\(error.message)")
    }

    @Test(arguments: [
        ("photos[*].url", "$.photos[*].url"), ("$['photos'].*", "$.photos[*]"), ("$", "$"),
        ("$[\"a.b\"][-1]", "$['a.b'][-1]"), ("$['it\\'s \\\\']", "$['it\\'s \\\\']"),
    ])
    func `a path has one usual form, which reads as the same path`(_ text: String, _ form: String) throws {
        let path = try JSONPath(text)
        #expect(path.description == form)
        #expect(try JSONPath(form) == path)
    }
}
