import CalotypeHTTP
import Testing

@Suite struct FreshnessStorageTests {
    private func isStorable(
        _ status: Int,
        _ lines: String,
        _ request: String,
        shared: Bool = false
    ) throws -> Bool {
        var policy = FreshnessPolicy()
        policy.isShared = shared
        let response = try FreshnessSample.response(lines, status: status, request: request)
        return policy.isStorable(response, request: try FreshnessSample.headers(request))
    }

    @Test(
        arguments: [
            (200, "", "", true), (200, "Cache-Control: no-store", "", false),
            (200, "Cache-Control: max-age=9, no-store", "", false),
            (200, "", "Cache-Control: no-store", false), (200, "Cache-Control: no-cache", "", true),
            (200, "Cache-Control: private", "", true), (200, "", "Authorization: x", true),
            (200, "Pragma: no-cache", "", true),
            (200, "Vary: *", "", false), (200, "Vary: *|ETag: \"a\"", "", true),
            (200, "Vary: Accept", "", true),
            (200, "Cache-Control: max-age=0", "", true), (200, "Expires: 0", "", true),
        ] as [(Int, String, String, Bool)]
    )
    func `no-store is never kept`(status: Int, lines: String, request: String, expected: Bool) throws {
        let isStorable = try isStorable(status, lines, request)
        #expect(isStorable == expected)
    }

    @Test(
        arguments: [
            (404, "", true), (410, "", true), (203, "", true), (500, "", false),
            (500, "Cache-Control: max-age=60", false),
            (503, "Cache-Control: public, max-age=60", false), (403, "", false),
            (403, "Cache-Control: max-age=60", true),
            (403, "Expires: Sun, 06 Nov 1994 09:49:37 GMT", true), (302, "Cache-Control: public", true),
            (206, "Cache-Control: max-age=60", false), (304, "Cache-Control: max-age=60", false),
            (429, "", false),
            (403, "Cache-Control: s-maxage=60", false), (404, "Cache-Control: no-store", false),
        ] as [(Int, String, Bool)]
    )
    func `a 404 is kept, a 500 is not`(status: Int, lines: String, expected: Bool) throws {
        let isStorable = try isStorable(status, lines, "")
        #expect(isStorable == expected)
    }

    @Test(
        arguments: [
            (200, "", "", true), (200, "Cache-Control: private", "", false),
            (200, "Cache-Control: private=\"x\"", "", false),
            (200, "", "Authorization: x", false),
            (200, "Cache-Control: max-age=60", "authorization: x", false),
            (200, "Cache-Control: public", "Authorization: x", true),
            (200, "Cache-Control: s-maxage=0", "Authorization: x", true),
            (200, "Cache-Control: must-revalidate", "Authorization: x", true),
            (200, "Cache-Control: public, private", "Authorization: x", false),
            (403, "Cache-Control: s-maxage=60", "", true),
        ] as [(Int, String, String, Bool)]
    )
    func `what is one person's is shared only as the RFC allows`(
        status: Int,
        lines: String,
        request: String,
        expected: Bool
    ) throws {
        let isStorable = try isStorable(status, lines, request, shared: true)
        #expect(isStorable == expected)
    }

    @Test func `credentials in a URL count as Authorization`() throws {
        let request = HTTPRequest(try WebURL("http://user:secret@a/"))
        #expect(request.sentFields["authorization"]?.hasPrefix("Basic ") == true)
        #expect(HTTPRequest(try WebURL("http://a/")).sentFields.count == 0)
    }
}
