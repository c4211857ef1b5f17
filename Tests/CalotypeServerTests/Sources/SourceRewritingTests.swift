import Testing

@testable import CalotypeServer

@Suite
struct SourceRewritingTests {
    @Test(arguments: [
        ("http://h/", "a.jpg", "http://h/a.jpg"), ("http://h/", "http://h/a.jpg", "http://h/a.jpg"),
        ("http://h", "/a.jpg", "http://h/a.jpg"), ("http://h/b", "/a.jpg", "http://h/b/a.jpg"),
        ("http://h", "a.jpg", "http://h/a.jpg"), ("http://h", "http://h", "http://h"),
        ("http://h", "?x", "http://h?x"),
        ("", "http://x/", "http://x/"), ("local:///a/", "b", "local:///a/b"),
        ("http://h", "@evil/x", "http://h/@evil/x"), ("http://h", ".evil/x", "http://h/.evil/x"),
        ("http://h", "http://h.evil/x", "http://h/http://h.evil/x"),
        ("http://h", ":80@evil/", "http://h/:80@evil/"),
    ])
    func `a base is put before what does not begin with it`(base: String, url: String, result: String) {
        #expect(SourceRewriting(baseURL: base).rewritten(url) == result)
    }

    @Test(arguments: [
        ("mys3://=http://s3/bucket/", "mys3://a", "http://s3/bucket/a"),
        ("mys3://=x", "amys3://a", "amys3://a"),
        ("http://*.a/=http://b/${1}/", "http://x.a/y", "http://b/x/y"),
        ("http://*.a/=http://b/$1", "http://x/.a/", "http://x/.a/"),
        ("a*b*=[$1][$2]", "axbbyb/z", "[xbby][]/z"), ("a*b*=[$1][$2]", "axbbyc/z", "[xb][yc]/z"),
        ("a*=$", "ab/c", "$/c"),
        ("a*=${1", "ab", "${1"), ("a*=$2$0x", "ab", "$0x"), ("a=b;b=c", "a", "c"), ("a=b=c", "a", "b=c"),
        (
            "*a*a*a*a*b=x", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        ),
    ])
    func `the beginning of a URL is replaced`(list: String, url: String, result: String) throws {
        let rewriting = SourceRewriting(replacements: try URLReplacement.list(list))
        #expect(rewriting.rewritten(url) == result)
    }

    @Test(arguments: ["a", "=b", "a=b;c"])
    func `an invalid replacement is reported at the start`(list: String) {
        #expect(throws: ServerError.self) { try URLReplacement.list(list) }
    }

    @Test func `paths are rewritten before their source is looked at`() throws {
        let thumbnail = try Reading.thumbnail("/_/w:3/plain/mine:/a%20b.jpg") {
            $0.rewriting.replacements = try URLReplacement.list("mine://=pictures/")
            $0.rewriting.baseURL = "http://h/"
            $0.allowedSources = try AllowedSources(["http://h/pictures/"])
        }
        #expect(thumbnail.source == "http://h/pictures/a b.jpg")
    }
}
