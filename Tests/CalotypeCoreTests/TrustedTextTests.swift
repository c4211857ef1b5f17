import CalotypeCore
import Testing

struct TrustedTextTests {
    @Test(arguments: [
        ("file:///a/b.png", "/a/b.png"), ("FILE:///a/b.png", "/a/b.png"), ("fIlE:/a/b.png", "/a/b.png"),
        ("file://localhost/a.png", "/a.png"), ("file://LocalHost/a.png", "/a.png"),
        ("file:///a%20b%2Bc.png", "/a b+c.png"), ("file:///a+b.png", "/a+b.png"),
        ("file:///a.png?x=1", "/a.png"), ("file:///a.png#top", "/a.png"),
        ("file:///a%3Fb%23.png", "/a?b#.png"),
        ("file:///g%C3%A4rten.png", "/gärten.png"), ("file:///gärten.png", "/gärten.png"), ("file:///", "/"),
    ])
    func `a file URL names a file`(text: String, path: String) throws {
        #expect(try ImageSource(trustedText: text) == .file(path: path))
    }

    @Test(arguments: [
        ("data:,abc", "abc"), ("data:image/png,abc", "abc"), ("DATA:image/png;BASE64,YWJj", "abc"),
        ("data:;base64,YWJj", "abc"), ("data:image/png;name=x;base64,YWI=", "ab"), ("data:;base64,YQ==", "a"),
        ("data:;base64,YQ", "a"), ("data:;base64,YWI", "ab"), ("data:;base64,YW Jj\nYQ%3D%3D", "abca"),
        ("data:,a%20b%0Ac", "a b\nc"), ("data:,a+b", "a+b"), ("data:,a,b", "a,b"), ("data:,a#b", "a"),
        ("data:;base64,%59%57%4a%6A", "abc"), ("data:,", ""), ("data:;base64,", ""),
        ("data:text/plain;charset=utf-8,ä", "ä"), ("data:image/svg;base64x,YWJj", "YWJj"),
        ("data:;base64,Pz8/Pj4+", "???>>>"),
    ])
    func `a data URL holds its bytes`(text: String, content: String) throws {
        #expect(try ImageSource(trustedText: text) == .bytes(Array(content.utf8)))
    }

    @Test func `a data URL may hold any byte`() throws {
        let all = (0...255).map { UInt8($0) }
        let escaped = all.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(try ImageSource(trustedText: "data:," + escaped) == .bytes(all))
        #expect(try ImageSource(trustedText: "data:;base64,/+8A/w==") == .bytes([0xFF, 0xEF, 0x00, 0xFF]))
    }

    @Test(arguments: [
        "file:", "file:a.png", "file://", "file://localhost", "file://example.org/a.png", "file:a/b?/c",
        "file:///a%2", "file:///a%zz.png", "file:///a%00.png", "file:///a%FF.png", "data:", "data:image/png",
        "data:,%", "data:,%1", "data:,%+1", "data:;base64,A", "data:;base64,YW!j", "data:;base64,YQ=",
        "data:;base64,YQ=a", "data:;base64,====", "data:;base64,YWJj=", "data:;base64,Y_-j",
        "data:;base64,AAAAA",
    ])
    func `a malformed file or data URL is invalid`(text: String) {
        let error = #expect(throws: CalotypeError.self) { try ImageSource(trustedText: text) }
        #expect(error?.code == .invalidURL)
    }

    @Test(arguments: [
        "data:,12345", "data:;base64,MTIzNDU=", "data:;base64,MTIzNDU", "data:,%31%32%33%34%35",
    ])
    func `a data URL of more bytes than the limit is refused, one of as many is not`(text: String) throws {
        let error = #expect(throws: CalotypeError.self) {
            try ImageSource(trustedText: text, limits: Self.limits(4))
        }
        #expect(error?.code == .tooManyBytes)
        let source = try ImageSource(trustedText: text, limits: Self.limits(5))
        #expect(source == .bytes(Array("12345".utf8)))
    }

    private static func limits(_ bytes: Int) -> ImageLimits {
        var limits = ImageLimits()
        limits.sourceBytes = ByteCount(bytes)
        return limits
    }

    @Test(arguments: [
        "https://example.org/a.png", "HTTP://example.org/", "ftp://example.org/a.png", "a.png", "/a.png", "",
        ":",
        " file:///a.png", "files:///a.png", "xdata:,abc", "/file:///a.png",
    ])
    func `everything else is a URL as it stands`(text: String) throws {
        #expect(try ImageSource(trustedText: text) == .url(text))
    }
}
