import CalotypeCore
import Testing

@testable import CalotypeHTTP

@Suite(.timeLimit(.minutes(1)))
struct ProxyRulesTests {
    private static func proxy(_ url: String, _ environment: [String: String]) throws -> String? {
        try ProxyRules(environment: environment).proxy(for: try WebURL(url))?.text
    }

    @Test(
        arguments: [
            (["http_proxy": "http://one:8001"], "http://one:8001/", nil),
            (["https_proxy": "http://two:8002"], nil, "http://two:8002/"),
            (["HTTPS_PROXY": "http://two:8002"], nil, "http://two:8002/"),
            (["https_proxy": "http://c:8003", "HTTPS_PROXY": "http://two:8002"], nil, "http://c:8003/"),
            (["HTTP_PROXY": "http://evil:8001"], nil, nil),
            (["http_proxy": "one:3128", "https_proxy": "two:3128"], "http://one:3128/", "http://two:3128/"),
            (["http_proxy": "", "no_proxy": "*"], nil, nil),
            (["http_proxy": "http://one:8001", "https_proxy": "http://two:8002", "no_proxy": "*"], nil, nil),
        ] as [([String: String], String?, String?)]
    )
    func `each scheme has its variable`(
        _ environment: [String: String],
        _ http: String?,
        _ https: String?
    ) throws {
        #expect(try Self.proxy("http://example.com/a", environment) == http)
        #expect(try Self.proxy("https://example.com/a", environment) == https)
    }

    @Test(arguments: [
        ("example.com", "example.com", true), ("example.com", "www.Example.com", true),
        (".example.com", "www.example.com", true), (".example.com", "example.com", true),
        ("*.example.com", "www.example.com", true), ("example.com", "anexample.com", false),
        ("example.com.", "example.com", true), ("com", "example.org", false),
        ("localhost, 10.0.0.0/8", "10.1.2.3", true), ("localhost 10.0.0.0/8", "localhost", true),
        ("10.0.0.0/8", "11.0.0.1", false), ("127.0.0.1", "127.0.0.1", true), ("::1", "[::1]", true),
        ("[::1]", "[::1]", true), ("fd00::/8", "[fd12::1]", true), ("", "example.com", false),
    ])
    func `no_proxy names hosts, domains and networks`(
        _ list: String,
        _ host: String,
        _ isDirect: Bool
    ) throws {
        for name in ["no_proxy", "NO_PROXY"] {
            let proxy = try Self.proxy("http://\(host)/", ["http_proxy": "http://p:8001", name: list])
            #expect((proxy == nil) == isDirect)
        }
    }

    @Test(arguments: ["socks5://user:word@p:1", "http://", "http://user:word@:9"])
    func `what is no HTTP proxy is an error that names the variable and no password`(text: String) {
        let error = #expect(throws: CalotypeError.self) {
            _ = try ProxyRules(environment: ["http_proxy": text])
        }
        #expect(error?.message.hasPrefix("http_proxy is not the URL of an HTTP proxy") == true)
        #expect(error.map { "\($0)" }?.contains("word") == false)
    }

    @Test func `one transport sends each request through its own proxy or directly, with the policy`()
        async throws
    {
        ScriptedNames.set("direct.scripted.test", "127.0.0.1")
        try await withServer { connection in
            while let request = connection.request() { connection.answer(body: request) }
        } _: { server in
            var configuration = CurlConfiguration()
            configuration.proxies = try ProxyRules(environment: [
                "http_proxy": "http://user:word@127.0.0.1:\(server.port)", "no_proxy": "direct.scripted.test",
            ])
            try await withCurlTransport(configuration) { transport in
                // Twice, because a handle is used again with other options.
                for _ in 0..<2 {
                    let far = try await transport.text(WebURL("http://far.scripted.test/x"))
                    #expect(far.hasPrefix("GET http://far.scripted.test/x HTTP/1.1\r\n"))
                    #expect(far.contains("Proxy-Authorization: Basic"))
                    let near = try await transport.text(server.url("/x", host: "direct.scripted.test"))
                    #expect(near.hasPrefix("GET /x HTTP/1.1\r\n"))
                    #expect(!near.contains("Proxy-Authorization"))
                }
                let url = try server.url("/x", host: "direct.scripted.test")
                let blocked = HTTPRequest(url, addressPolicy: .publicOnly)
                #expect(await code { try await transport.body(blocked) } == .blockedAddress)
                let proxied = HTTPRequest(
                    try WebURL("http://far.scripted.test/y"),
                    addressPolicy: .publicOnly
                )
                let seen = String(decoding: try await transport.body(proxied), as: UTF8.self)
                #expect(seen.hasPrefix("GET http://far.scripted.test/y"))
            }
        }
    }
}
