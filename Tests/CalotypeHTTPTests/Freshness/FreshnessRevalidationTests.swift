import CalotypeCore
import CalotypeHTTP
import Testing

@Suite struct FreshnessRevalidationTests {
    private static let kept =
        "Date: \(FreshnessSample.date)|Cache-Control: max-age=60|ETag: \"a\"|Age: 5|Vary: X"
        + "|Last-Modified: Sat, 05 Nov 1994 08:49:37 GMT|Expires: Sun, 06 Nov 1994 09:49:37 GMT"

    private func updated(
        _ lines: String,
        request: String = "X: 1",
        kept: String = kept
    ) throws -> StoredResponse? {
        try FreshnessSample.response(kept, request: "X: 1").updated(
            by: try FreshnessSample.headers(lines),
            request: try FreshnessSample.headers(request),
            requestTime: .after(1000),
            responseTime: .after(1001)
        )
    }

    @Test func `a 304 without fields makes the response as fresh as the 304`() throws {
        let next = try #require(try updated(""))
        #expect(next.date == .after(1001))
        #expect(next.age == .zero)
        #expect(next.cacheControl.maxAge == .seconds(60))
        #expect(next.validators.entityTag?.text == "\"a\"")
        #expect(next.expiry == .at(.after(3600)))
        #expect(next.lastModified == .after(-86_400))
        let state = next.state(
            at: .after(1002),
            request: try FreshnessSample.headers("X: 1"),
            policy: FreshnessPolicy()
        )
        #expect(state == .fresh(until: .after(1060)))
    }

    @Test func `the fields of a 304 replace those that were kept`() throws {
        let lines =
            "Date: Sun, 06 Nov 1994 09:06:18 GMT|Cache-Control: no-cache|ETag: \"a\"|Age: 9|Vary: Y"
            + "|Last-Modified: Fri, 04 Nov 1994 08:49:37 GMT|Expires: 0"
        let next = try #require(try updated(lines, request: "Y: 2"))
        #expect(next.cacheControl.has(.noCache))
        #expect(next.cacheControl.maxAge == nil)
        #expect(next.age == .seconds(9))
        #expect(next.expiry == .past)
        #expect(next.lastModified == .after(-2 * 86_400))
        #expect(next.validators.lastModified == "Fri, 04 Nov 1994 08:49:37 GMT")
        #expect(next.variant.matches(try FreshnessSample.headers("Y: 2")))
        #expect(!next.variant.matches(try FreshnessSample.headers("Y: 3")))
        #expect(next.date == .after(1001))
    }

    @Test(arguments: [
        ("\"a\"", "\"a\"", true), ("\"a\"", "W/\"a\"", true), ("W/\"a\"", "\"a\"", true),
        ("\"a\"", "\"b\"", false),
        ("W/\"a\"", "W/\"b\"", false), ("a", "a", true), ("a", "b", false),
    ])
    func `a 304 with another entity tag is about another picture`(
        kept: String,
        tag: String,
        matches: Bool
    ) throws {
        let next = try updated("ETag: \(tag)", kept: "ETag: \(kept)")
        #expect((next != nil) == matches)
        #expect(try updated("ETag: \(tag)", kept: "Age: 1")?.validators.entityTag?.text == tag)
    }

    @Test(arguments: [
        ("ETag: \"a\"", ["If-None-Match: \"a\""]), ("ETag: W/\"a\"", ["If-None-Match: W/\"a\""]), ("", []),
        ("Last-Modified: \(FreshnessSample.date)", ["If-Modified-Since: \(FreshnessSample.date)"]),
        ("Last-Modified: yesterday", []), ("ETag:", []), ("ETag: a", ["If-None-Match: a"]),
        (
            "ETag: \"a\"|Last-Modified: Sun Nov  6 08:49:37 1994",
            ["If-None-Match: \"a\"", "If-Modified-Since: Sun Nov 6 08:49:37 1994"]
        ),
    ])
    func `a response is revalidated by its validators`(lines: String, expected: [String]) throws {
        let fields = try FreshnessSample.response(lines).validators.conditionalFields
        #expect(fields.map { "\($0.name): \($0.value)" } == expected)
    }

    @Test func `an entity tag that is too long says nothing`() throws {
        let tag = "\"" + String(repeating: "a", count: 1023) + "\""
        let validators = try FreshnessSample.response("ETag: \(tag)").validators
        #expect(validators.isEmpty)
    }
}
