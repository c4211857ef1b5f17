import CalotypeCore
import Testing

@testable import CalotypeHTTP

@Suite struct WebURLTests {
    @Test(arguments: [
        ("http://EXAMPLE.com", "http://example.com/"),
        ("https://a:443/x?y#z", "https://a/x?y"),
        ("http://a:8080", "http://a:8080/"),
        ("http://a/b c?d e", "http://a/b%20c?d%20e"),
        ("http://a/é?ü", "http://a/%c3%a9?%c3%bc"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://example。com/", "http://example.com/"),
        ("http://example.com./x", "http://example.com/x"),
        ("http://a/b/../c/./d", "http://a/c/d"),
        ("http://a/%0d%0aX:%20y", "http://a/%0d%0aX:%20y"),
        ("http://[2001:DB8::1]:8080/", "http://[2001:db8::1]:8080/"),
        ("http://user:secret@a/b", "http://a/b"),
    ])
    func `a URL is brought into one form`(written: String, text: String) throws {
        #expect(try WebURL(written).text == text)
    }

    @Test(arguments: [
        ("http://127.0.0.1", "127.0.0.1"), ("http://2130706433/", "127.0.0.1"),
        ("http://0x7f000001/", "127.0.0.1"),
        ("http://0177.0.0.1/", "127.0.0.1"), ("http://127.1/", "127.0.0.1"), ("http://0/", "0.0.0.0"),
        ("http://127.0.0.1./", "127.0.0.1"), ("http://１２７.0.0.1/", "127.0.0.1"),
        ("http://127%2e1/", "127.0.0.1"),
        ("http://[::1]/", "::1"), ("http://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1"),
        ("http://[fe80::1%25lo]/", "fe80::1"),
        ("http://good.example@127.0.0.1/", "127.0.0.1"), ("http://127.0.0.1#@good.example/", "127.0.0.1"),
        ("http://good.example\\@127.0.0.1/", "127.0.0.1"),
    ])
    func `every form of an address is the address`(written: String, host: String) throws {
        let url = try WebURL(written)
        #expect(url.host == host)
        #expect(url.address != nil)
    }

    @Test(arguments: [
        ("", "invalid_url"), ("foo", "invalid_url"), ("localhost:80/x", "invalid_url"),
        ("http://", "invalid_url"),
        ("http://a b/", "invalid_url"), ("http://[::1/", "invalid_url"), ("http://a:99999/", "invalid_url"),
        ("//a/b", "invalid_url"), ("http://a/\r\nX: y", "invalid_url"),
        ("http://a/?q=\r\nX: y", "invalid_url"),
        ("http://a\u{0}b/", "invalid_url"), ("http://a%0d%0ab/", "invalid_url"),
        ("http://a/\u{7F}", "invalid_url"),
        ("file:///etc/passwd", "unsupported_scheme"), ("data:image/png;base64,AA", "unsupported_scheme"),
        ("ftp://a/", "unsupported_scheme"), ("gopher://a/", "unsupported_scheme"),
        ("unix:/run/x", "unsupported_scheme"), ("javascript:alert()", "unsupported_scheme"),
        ("http://a:22/", "blocked_port"), ("http://a:25/", "blocked_port"),
        ("http://a:6379/", "blocked_port"),
        ("http://a:0/", "blocked_port"),
    ])
    func `what is no URL for us is refused with its code`(written: String, code: String) {
        #expect(throws: CalotypeError.self) { try WebURL(written) }
        do { _ = try WebURL(written) } catch { #expect(error.code.rawValue == code) }
    }

    @Test func `very long and very odd text does not trap`() {
        for text in [
            String(repeating: "a", count: 100_000), "http://" + String(repeating: "[", count: 1000),
            "\u{FEFF}",
        ] {
            #expect(throws: CalotypeError.self) { try WebURL(text) }
        }
    }

    @Test func `a password is in no text and no error`() throws {
        let url = try WebURL("http://user:secret@a/b")
        #expect(!url.text.contains("secret"))
        #expect(url.authorization == "Basic dXNlcjpzZWNyZXQ=")
        do { _ = try WebURL("http://user:secret@a:22/b") } catch {
            #expect(!error.description.contains("secret"))
        }
        #expect(try WebURL("http://other@a/b") != url)
    }

    @Test(arguments: [
        ("/x y", "http://h/x%20y"), ("//127.0.0.1/", "http://127.0.0.1/"), ("?q", "http://h/p/q?q"),
        ("../z", "http://h/z"), ("https://o/", "https://o/"), ("http://bü/é", "http://xn--b-eha/%c3%a9"),
    ])
    func `a reference is resolved`(reference: String, text: String) throws {
        #expect(try WebURL("http://h/p/q?r").resolving(reference).text == text)
    }

    @Test(arguments: [
        ("file:/etc/passwd", "unsupported_scheme"), ("gopher://a/", "unsupported_scheme"),
        ("", "invalid_redirect"),
        ("http://a:25/", "blocked_port"), ("/\r\nX: y", "invalid_url"),
    ])
    func `a reference to elsewhere is refused`(reference: String, code: String) throws {
        let base = try WebURL("http://h/")
        do {
            _ = try base.resolving(reference)
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.code.rawValue == code)
        }
    }
}
