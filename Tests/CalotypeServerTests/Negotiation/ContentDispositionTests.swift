import CalotypeCore
import Testing

@testable import CalotypeServer

@Suite
struct ContentDispositionTests {
    private func value(_ options: String, source: String = "http://h/a.jpg") throws -> String {
        let path = try URLSigner(key: nil).path(to: source, options: [options])
        return ContentDisposition(try Reading.thumbnail(path), format: .webp).value
    }

    @Test(arguments: [
        ("http://h/x/cat.jpg", "cat.webp"), ("http://h/cat", "cat.webp"),
        ("http://h/cat.tar.gz?x=/y.z", "cat.tar.webp"),
        ("http://h/", "image.webp"), ("http://h", "image.webp"), ("http://h/.jpg", "image.webp"),
        ("http://h/a%20b.png", "a b.webp"),
        ("http://h/a%22b.png", "a%22b.webp"), ("http://h/a%0Db.png", "a%0Db.webp"),
        ("http://h/a%5Cb.png", "a%5Cb.webp"),
    ])
    func `a picture is called as its source`(source: String, name: String) throws {
        #expect(try value("w:3", source: source) == "inline; filename=\"\(name)\"")
    }

    @Test func `a name is what the path says, and nothing gets out of the quotes`() throws {
        #expect(try value("fn:my%20cat") == "inline; filename=\"my cat.webp\"")
        #expect(try value("fn:YSJi:1") == "inline; filename=\"a%22b.webp\"")
        // a, carriage return, line feed, X: y
        #expect(try value("fn:YQ0KWDogeQ:1") == "inline; filename=\"a%0D%0AX: y.webp\"")
        #expect(try value("fn:cat/att:1") == "attachment; filename=\"cat.webp\"")
    }

    @Test func `other letters come twice`() throws {
        let value = try value("fn:k%C3%A4tzchen")
        #expect(value == "inline; filename=\"k%C3%A4tzchen.webp\"; filename*=UTF-8''k%C3%A4tzchen.webp")
    }

    @Test func `bytes that are passed on keep their extension`() throws {
        let thumbnail = try Reading.thumbnail("/_/raw:1/plain/http://h/a/cat.svg%3Fv=1")
        #expect(ContentDisposition(thumbnail, format: nil).value == "inline; filename=\"cat.svg\"")
    }

    @Test func `a name has an end`() throws {
        let value = try value("fn:" + String(repeating: "x", count: 5_000))
        #expect(value.utf8.count < 300)
    }
}
