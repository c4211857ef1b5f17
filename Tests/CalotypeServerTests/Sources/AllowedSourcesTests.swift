import CalotypeCore
import CalotypeHTTP
import Testing

@testable import CalotypeServer

@Suite
struct AllowedSourcesTests {
    @Test(arguments: [
        ("http://allowed.com", "http://allowed.com/a"), ("http://allowed.com", "http://ALLOWED.com"),
        ("http://allowed.com", "http://allowed.com./a"), ("http://allowed.com/", "http://allowed.com:80/a"),
        ("HTTP://Allowed.Com.", "http://allowed.com/a"),
        ("http://allowed.com", "http://user:pass@allowed.com/a"),
        ("http://allowed.com", "http://allowed。com/a"), ("http://bücher.de", "http://xn--bcher-kva.de/a"),
        ("http://*.bücher.de", "http://a.xn--bcher-kva.de/a"),
        ("http://*.allowed.com", "http://cdn.allowed.com/a"),
        ("http://img*.allowed.com", "http://img7.allowed.com/a"), ("http://a:81", "http://a:81/"),
        ("http://a:*", "http://a:8080/"), ("http://[::1]", "http://[0:0::1]/a"),
        ("http://[::1]:81", "http://[::1]:81/a"),
        ("http://127.0.0.1", "http://127.1/a"), ("https://a", "https://a/"), ("http://*", "http://a/"),
        ("http://a/images", "http://a/images"), ("http://a/images", "http://a/images/b"),
        ("http://a/images/", "http://a/images/"), ("http://a/images/", "http://a/images/b/c"),
        ("http://a/images*", "http://a/images2/b"), ("http://a/*/b", "http://a/x/b/c"),
        ("http://a/*", "http://a/x/y"),
        ("http://a/i", "http://a/x/../i/y"), ("http://a/i", "http://a/%69/y"),
        ("http://a/b%20c", "http://a/b c/d"),
        ("http://a/i", "http://a/i?/../x"), ("http://a", "http://a?x=/%2e%2e"),
        // What stands before the at sign is a user name to libcurl, which connects.
        ("http://allowed.com", "http://evil.com\\@allowed.com/"),
    ])
    func `a pattern describes URLs by their parts`(pattern: String, url: String) throws {
        let allowed = try AllowedSources([pattern])
        #expect(allowed.allows(try WebURL(url)))
    }

    @Test(arguments: [
        ("http://allowed.com", "http://allowed.com@evil.com/"),
        ("http://allowed.com", "http://allowed.com.evil.com/"),
        ("http://allowed.com", "http://allowed.comevil/"),
        ("http://allowed.com", "http://evil.com/http://allowed.com"),
        ("http://allowed.com", "http://evil.com#@allowed.com/"),
        ("http://allowed.com", "http://evil.com?allowed.com"),
        ("http://allowed.com", "http://sub.allowed.com/"),
        ("http://allowed.com", "https://allowed.com/"), ("http://allowed.com", "http://allowed.com:8080/"),
        ("http://*.allowed.com", "http://allowed.com/"), ("http://*.allowed.com", "http://a.b.allowed.com/"),
        ("http://*.allowed.com", "http://evil.com/.allowed.com/"),
        ("http://img*.allowed.com", "http://img.x.allowed.com/"),
        ("http://*.com", "http://evil.org/a.com"), ("http://a/images", "http://a/images2"),
        ("http://a/images/", "http://a/images"),
        ("http://a/images", "http://a/imag"), ("http://a/images", "http://a/"),
        ("http://a/images", "http://a/images/../x"),
        ("http://a/images", "http://a/images/%2e%2e/x"), ("http://a/images", "http://a/images/..%2fx"),
        ("http://a/images", "http://a/images/%2E%2E%5Cx"), ("http://a/images", "http://a/Images/x"),
        ("http://a/*/b", "http://a/x/y/b"), ("http://a/*/b", "http://a/b"),
        ("http://a/images*", "http://a/x/images"),
        ("http://a/i", "http://a/i/%zz"), ("http://a:81", "http://a:82/"),
        ("http://1.2.3.4", "http://1.2.3.5/"),
        ("local://", "http://a/"), ("data:", "http://a/"),
    ])
    func `what only looks like it is turned down`(pattern: String, text: String) throws {
        let allowed = try AllowedSources([pattern, "https://elsewhere.example"])
        // A text that is no URL is not asked either.
        guard let url = try? WebURL(text) else { return }
        #expect(!allowed.allows(url))
    }

    @Test(arguments: [
        "", "allowed.com", "ftp://a", "s3://bucket", "http:", "http:a", "http://", "http:///x", "http://a@b",
        "http://a:x",
        "http://a:0", "http://a:70000", "http://a?x", "http://a/x#y", "http://*..a", "http://*.a b",
        "http://*.ä*.a",
        "http://a/../b", "http://a/%2e%2e/b", "http://a/%zz", "local:x", "local:/x", "http://[*]/",
    ])
    func `an invalid pattern is reported at the start`(pattern: String) {
        let failure = #expect(throws: ServerError.self) { try AllowedSources([pattern]) }
        #expect(failure?.message.contains("'\(pattern)'") == true)
    }

    @Test func `an empty list allows all`() throws {
        #expect(AllowedSources().allows(try WebURL("http://a/")))
        #expect(AllowedSources().allowsData)
    }

    @Test func `local and data sources are on the list too`() throws {
        let allow: ([String]) -> (inout PathConfiguration) throws -> Void = { patterns in
            {
                $0.allowsLocal = true
                $0.allowsData = true
                $0.allowedSources = try AllowedSources(patterns)
            }
        }
        let table: [([String], String, Bool)] = [
            (["local://"], "local:///a/b", true), (["local:///a"], "local:///a/b", true),
            (["local:///a/"], "local:///a/b", true), (["local:///a"], "local:///ab", false),
            (["http://h"], "local:///a", false), (["http://h"], "data:,x", false),
            (["data:"], "data:,x", true),
            (["local:///a/*/c"], "local:///a/b/c", true), (["local:///a/*/c"], "local:///a/c", false),
        ]
        for (patterns, source, isAllowed) in table {
            let refusal = try Reading.refusal("/_/plain/\(source)", allow(patterns))
            #expect((refusal == nil) == isAllowed, "\(patterns) \(source)")
            #expect(refusal == nil || refusal?.code == .blockedSource)
        }
    }

    @Test func `a path to a source that is not on the list is refused`() throws {
        let allow: (inout PathConfiguration) throws -> Void = {
            $0.allowedSources = try AllowedSources(["http://h/x/"])
        }
        #expect(try Reading.refusal("/_/plain/http://h/x/a", allow) == nil)
        let refusal = try #require(try Reading.refusal("/_/plain/http://h/y/a", allow))
        #expect(refusal.status == 404)
        #expect(refusal.publicMessage == "Invalid source URL")
        #expect(refusal.code == .blockedSource)
        #expect(try Reading.refusal("/_/plain/http://h:22/x/a", allow)?.publicMessage == "Invalid source URL")
        #expect(try Reading.refusal("/_/plain/http://a b/", allow)?.code == .invalidURL)
    }

    @Test func `a picture that is shown in place of another has to be on the list too`() throws {
        let allow: (inout PathConfiguration) throws -> Void = {
            $0.allowedSources = try AllowedSources(["http://h"])
        }
        // http://h/a.jpg and http://evil/
        let thumbnail = try Reading.thumbnail("/_/w:3/fiu:aHR0cDovL2gvYS5qcGc/plain/http://h/b", allow)
        #expect(thumbnail.fallbackThumbnail?.source == "http://h/a.jpg")
        #expect(thumbnail.fallbackThumbnail?.transform == thumbnail.transform)
        #expect(
            try Reading.refusal("/_/fiu:aHR0cDovL2V2aWwv/plain/http://h/b", allow)?.code == .blockedSource
        )
        #expect(try Reading.refusal("/_/fiu:ZmlsZTovLy94/plain/http://h/b")?.code == .unsupportedScheme)
    }

    @Test func `asterisks stand for any text`() {
        let table: [(String, String, Bool)] = [
            ("*", "", true), ("a*", "a", true), ("*a", "ba", true), ("a*b", "ab", true), ("a*b", "a", false),
            ("a*a", "a", false), ("a*b*c", "a1b2b3c", true), ("a*b*c", "acb", false), ("*b*b*", "abcb", true),
            ("*b*b*", "abc", false), ("", "", true), ("", "a", false), ("**", "x", true),
        ]
        for (pattern, text, matches) in table {
            #expect(Wildcard(pattern[...]).matches(Array(text.utf8)) == matches, "\(pattern) \(text)")
        }
    }
}
