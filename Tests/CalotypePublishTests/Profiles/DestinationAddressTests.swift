import CalotypeCore
import CalotypeHTTP
import CalotypePublish
import Testing

@Suite struct DestinationAddressTests {
    @Test(arguments: [
        ("tus+https://Example.org/files/", DestinationAddress.Kind.tus, "https://example.org/files/"),
        ("S3+https://s3.example.org/shelf/2026", .s3, "https://s3.example.org/shelf/2026"),
        ("mastodon+http://127.0.0.1:8080", .mastodon, "http://127.0.0.1:8080/"),
        ("plain+http://localhost/inbox/", .plain, "http://localhost/inbox/"),
        ("wordpress+http://[::1]:81/", .wordpress, "http://[::1]:81/"),
    ])
    func `a destination is a kind and a URL`(
        text: String,
        kind: DestinationAddress.Kind,
        url: String
    ) throws {
        let address = try DestinationAddress(text)
        #expect(address.kind == kind && address.url.text == url)
        #expect(try DestinationAddress(address.description) == address)
    }

    @Test func `a description has no query, which may be a signature`() throws {
        let address = try DestinationAddress("plain+https://example.org/a?X-Amz-Signature=0123")
        #expect(address.description == "plain+https://example.org/a")
        #expect(address.url.text.hasSuffix("?X-Amz-Signature=0123"))
    }

    @Test(
        arguments: [
            (
                "https://example.org",
                "add the kind of server to the URL, which is one of plain+https://, tus+https://, mastodon+https://, s3+https://, wordpress+https://"
            ),
            (
                "mastadon+https://example.org",
                #""mastadon+" is not a known kind of server; did you mean mastodon+?"#
            ),
            (
                "gopher+https://example.org",
                #""gopher+" is not a known kind of server; use one of plain+, tus+, mastodon+, s3+, wordpress+"#
            ),
            ("blog", "a destination must be a URL such as tus+https://example.org/files/"),
            ("tus+ftp://example.org", "the scheme ftp is not supported; only http and https are"),
            (
                "tus+http://example.org/files/",
                "anyone on the network path can read what is sent over http; use https, or add --allow-http"
            ),
            ("tus+http://localhost.example.org/", nil),
            ("tus+http://127.example.org/", nil),
            ("tus+http://10.0.0.1/", nil),
        ] as [(String, String?)]
    )
    func `what is none is refused with what to write`(text: String, message: String?) throws {
        let error = try #require(throws: CalotypeError.self) { try DestinationAddress(text) }
        if let message { #expect(error.message == message) }
    }

    @Test func `http to another machine is spoken where that is allowed`() throws {
        #expect(try DestinationAddress("tus+http://10.0.0.1/", allowsHTTP: true).kind == .tus)
    }

    @Test(arguments: [
        "tus+https://ada:hunter2@example.org/", "tus+https://hunter2@example.org",
        "tus+https:\\\\ada:hunter2@e.org",
        "ada:hunter2@tus+https://example.org/", "tus+https://ada:hunter2@/", "hunter2@example.org",
        "tus+https://example.org:hunter2@x/", "tus+ftp://ada:hunter2@example.org",
    ])
    func `a password in a URL is refused and not repeated`(text: String) throws {
        let error = try #require(throws: CalotypeError.self) { try DestinationAddress(text) }
        #expect(!"\(error) \(String(reflecting: error))".contains("hunter2"))
    }

    @Test func `a lost response is settled by key, by a person or by a URL`() throws {
        #expect(try PostSettling("key") == .key && PostSettling("ask") == .ask)
        let template = "https://example.org/posts/{key}?by=key"
        #expect(try PostSettling(template) == .lookUp(template: template))
        for text in [
            "keys", "https://example.org/posts", "http://example.org/{key}", "https://a:b@example.org/{key}",
        ] {
            #expect(throws: CalotypeError.self) { try PostSettling(text) }
        }
    }
}
