import CalotypeCore
import TaskFlow
import Testing

@testable import CalotypeHTTP

/// Names that resolve slowly, wrongly or not at all.
@Suite(.timeLimit(.minutes(1)))
struct NameResolutionTests {
    private func withGoodServer(
        _ configuration: CurlConfiguration = CurlConfiguration(),
        _ body: (ScriptedServer, CurlTransport) async throws -> Void
    ) async throws {
        try await withServer { connection in
            while connection.request() != nil { connection.answer() }
        } _: { server in
            try await withCurlTransport(configuration) { try await body(server, $0) }
        }
    }

    @Test func `a name is resolved once for many, and libcurl never asks`() async throws {
        ScriptedNames.set("many.scripted.test", "127.0.0.1")
        try await withGoodServer { server, transport in
            let url = try server.url(host: "many.scripted.test")
            try await withThrowingTaskGroup { group in
                for _ in 0..<30 {
                    group.addTask { try await transport.text(url) }
                }
                for try await text in group { #expect(text == "hello") }
            }
            #expect(ScriptedNames.calls("many.scripted.test") == 1)
        }
    }

    @Test func `names with the same addresses have the same one, and behind a proxy nobody has`() async throws
    {
        ScriptedNames.set("first.scripted.test", "8.8.8.8,2d00::1,1.1.1.1")
        ScriptedNames.set("second.scripted.test", "1.1.1.1,8.8.8.8,2d00::1")
        ScriptedNames.set("third.scripted.test", "8.8.8.8")
        let names = ["first", "second", "third"].map { "\($0).scripted.test" } + ["8.8.8.8", "[2d00::1]"]
        func addresses(_ transport: CurlTransport) async throws -> [String?] {
            let client = HTTPClient(transport)
            var found: [String?] = []
            for name in names {
                let address = try await client.address(for: HTTPRequest(WebURL("http://\(name)/")))
                found.append(address?.description)
            }
            return found
        }
        try await withCurlTransport { transport in
            let found = try await addresses(transport)
            #expect(found == ["1.1.1.1", "1.1.1.1", "8.8.8.8", "8.8.8.8", "2d00::1"])
        }
        var configuration = CurlConfiguration()
        configuration.proxies = .all(try WebURL("http://third.scripted.test:8080/"))
        try await withCurlTransport(configuration) { transport in
            let found = try await addresses(transport)
            #expect(found.prefix(3) == [nil, nil, nil])
        }
    }

    @Test func `a name that hangs does not delay other transfers`() async throws {
        ScriptedNames.set("hangs.scripted.test", "hang")
        ScriptedNames.set("fast.scripted.test", "127.0.0.1")
        try await withGoodServer { server, transport in
            var slow = HTTPRequest(try server.url(host: "hangs.scripted.test"))
            slow.timeouts.connect = .milliseconds(200)
            let failure = await code { [slow] in try await transport.body(slow) }
            #expect(failure == .timeoutConnect)
            #expect(transport.snapshot.runningLookups == 1)
            let text = try await transport.text(server.url(host: "fast.scripted.test"))
            #expect(text == "hello")
        }
        ScriptedNames.release("hangs.scripted.test")
    }

    @Test func `more names that hang than threads do not stop the others`() async throws {
        var configuration = CurlConfiguration()
        configuration.resolverThreads = 2
        let names = (0..<5).map { "hangs\($0).scripted.test" }
        for name in names { ScriptedNames.set(name, "hang") }
        ScriptedNames.set("other.scripted.test", "127.0.0.1")
        try await withGoodServer(configuration) { server, transport in
            await withTaskGroup { group in
                for name in names {
                    group.addTask {
                        let result = await code {
                            var request = HTTPRequest(try server.url(host: name))
                            request.timeouts.connect = .milliseconds(300)
                            return try await transport.body(request)
                        }
                        #expect(result == .timeoutConnect)
                    }
                }
            }
            let text = try await transport.text(server.url(host: "other.scripted.test"))
            #expect(text == "hello")
            #expect(transport.snapshot.runningLookups <= 8)
        }
        for name in names { ScriptedNames.release(name) }
    }

    @Test func `a cancelled wait for a name ends immediately, the lookup is counted`() async throws {
        ScriptedNames.set("cancelled.scripted.test", "hang")
        try await withGoodServer { server, transport in
            let url = try server.url(host: "cancelled.scripted.test")
            await withThrowingTaskGroup { group in
                group.addTask { try await transport.text(url) }
                while ScriptedNames.calls("cancelled.scripted.test") == 0 { await Task.yield() }
                group.cancelAll()
                await #expect(throws: CancellationError.self) { try await group.next() }
            }
            #expect(transport.snapshot.runningLookups == 1)
        }
        ScriptedNames.release("cancelled.scripted.test")
    }

    @Test func `a name that does not exist is dns_failed, and remembered for a moment`() async throws {
        ScriptedNames.set("none.scripted.test", "fail")
        try await withGoodServer { server, transport in
            let url = try server.url(host: "none.scripted.test")
            for _ in 0..<3 { #expect(await code { try await transport.text(url) } == .dnsFailed) }
            #expect(ScriptedNames.calls("none.scripted.test") == 1)
        }
    }

    @Test func `an expired result is replaced in libcurl too`() async throws {
        ScriptedNames.set("moves.scripted.test", "127.0.0.1;127.0.0.2")
        var configuration = CurlConfiguration()
        configuration.nameLifetime = .zero
        try await withServer { connection in
            // The server is on 127.0.0.1 only: the second request finds nobody at the new address.
            guard connection.request() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello")
        } _: { server in
            try await withCurlTransport(configuration) { transport in
                let url = try server.url(host: "moves.scripted.test")
                let text = try await transport.text(url)
                #expect(text == "hello")
                #expect(await code { try await transport.text(url) } == .connectFailed)
                #expect(ScriptedNames.calls("moves.scripted.test") == 2)
            }
        }
    }

    @Test func `the next address is tried if the first does not respond`() async throws {
        ScriptedNames.set("two-addresses.scripted.test", "127.0.0.3,127.0.0.1")
        try await withGoodServer { server, transport in
            let text = try await transport.text(server.url(host: "two-addresses.scripted.test"))
            #expect(text == "hello")
        }
    }

    @Test func `an address where nobody listens is connect_failed`() async throws {
        let port = try await withServer { _ in
        } _: {
            $0.port
        }
        try await withCurlTransport { transport in
            let url = try WebURL("http://127.0.0.1:\(port)/")
            #expect(await code { try await transport.text(url) } == .connectFailed)
            #expect(transport.snapshot.openConnections == 0)
        }
    }

    @Test func `requests go through the proxy, whose name is resolved here`() async throws {
        ScriptedNames.set("proxy.scripted.test", "127.0.0.1")
        try await withServer { connection in
            while let request = connection.request() { connection.answer(body: request) }
        } _: { proxy in
            var configuration = CurlConfiguration()
            configuration.proxies = .all(
                try WebURL("http://user:word@proxy.scripted.test:\(proxy.port)")
            )
            try await withCurlTransport(configuration) { transport in
                let seen = try await transport.text(WebURL("http://far.scripted.test/x"))
                #expect(seen.hasPrefix("GET http://far.scripted.test/x HTTP/1.1\r\n"))
                #expect(seen.contains("Proxy-Authorization: Basic dXNlcjp3b3Jk"))
                #expect(ScriptedNames.calls("far.scripted.test") == 0)
                let literal = HTTPRequest(try WebURL("http://127.0.0.1/"), addressPolicy: .publicOnly)
                #expect(await code { try await transport.body(literal) } == .blockedAddress)
            }
        }
    }

    @Test func `a proxy that refuses is proxy_failed`() async throws {
        try await withServer { connection in
            _ = connection.request()
            connection.answer("403 Forbidden")
        } _: { proxy in
            var configuration = CurlConfiguration()
            configuration.proxies = .all(try proxy.url())
            try await withCurlTransport(configuration) { transport in
                let url = try WebURL("https://far.scripted.test/x")
                #expect(await code { try await transport.text(url) } == .proxyFailed)
            }
        }
    }
}
