import CalotypeCore
import CalotypePlatform
import TaskFlow
import Testing

@testable import CalotypeHTTP

/// Requests for public addresses only, against a listener on loopback that nobody may ever reach.
@Suite(.timeLimit(.minutes(1)))
struct AddressPolicyTests {
    // Not given out, so public by our rules and reached by nobody.
    private static let publicAddress = "2d00::1"

    private func withTrap(_ body: (ScriptedServer, CurlTransport) async throws -> Void) async throws {
        try await withServer { connection in
            while connection.request() != nil { connection.answer("302 Found", ["Location: /again"]) }
        } _: { trap in
            try await withCurlTransport { try await body(trap, $0) }
            #expect(trap.accepted == 0)
        }
    }

    private func request(_ url: String) throws -> HTTPRequest {
        var request = HTTPRequest(try WebURL(url), addressPolicy: .publicOnly)
        request.timeouts.connect = .milliseconds(300)
        return request
    }

    @Test(arguments: [
        "127.0.0.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0", "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "169.254.169.254", "100.100.100.200",
        "10.0.0.1",
        "172.16.0.1", "192.168.0.1", "[fd00::1]", "[fe80::1%25lo]", "good.example@127.0.0.1",
    ])
    func `a host that is not public is refused unreached`(host: String) async throws {
        try await withTrap { trap, transport in
            let request = try request("http://\(host):\(trap.port)/")
            #expect(await code { try await transport.body(request) } == .blockedAddress)
            #expect(transport.snapshot.openConnections == 0)
        }
    }

    @Test func `the error names host, address and the way to allow it`() async throws {
        ScriptedNames.set("inside.scripted.test", "10.1.2.3")
        try await withTrap { _, transport in
            let request = try request("http://inside.scripted.test/")
            do {
                _ = try await transport.body(request)
                Issue.record("nothing was thrown")
            } catch let error as CalotypeError {
                #expect(error.message.contains("inside.scripted.test is 10.1.2.3"))
                #expect(error.message.contains("--allow-private"))
                #expect(error.url == "http://inside.scripted.test/")
            }
        }
    }

    @Test(arguments: [
        ("one.scripted.test", "127.0.0.1"), ("two.scripted.test", "2d00::1,127.0.0.1"),
        ("three.scripted.test", "8.8.8.8,2d00::1,::1"),
    ])
    func `a public name with any private address is refused as a whole`(
        name: String,
        answer: String
    ) async throws {
        ScriptedNames.set(name, answer)
        try await withTrap { trap, transport in
            let request = try request("http://\(name):\(trap.port)/")
            #expect(await code { try await transport.body(request) } == .blockedAddress)
        }
    }

    @Test func `a name is connected to by the address that was checked`() async throws {
        ScriptedNames.set("rebind.scripted.test", "\(Self.publicAddress);127.0.0.1")
        try await withTrap { trap, transport in
            let request = try request("http://rebind.scripted.test:\(trap.port)/")
            for _ in 0..<3 {
                let failure = await code { try await transport.body(request) }
                #expect(failure == .connectFailed || failure == .timeoutConnect)
            }
            #expect(ScriptedNames.calls("rebind.scripted.test") == 1)
        }
    }

    @Test func `the address is checked once more when the socket is opened`() async throws {
        try await withTrap { trap, _ in
            let loop = try CurlLoop(CurlConfiguration())
            let request = try request("http://checked.scripted.test:\(trap.port)/")
            let resolution = "+checked.scripted.test:\(trap.port):127.0.0.1"
            let transfer = Transfer(request, resolution: resolution, dns: .zero, loop: loop)
            transfer.start()
            #expect(await code { try await transfer.head() } == .blockedAddress)
            await transfer.end()
            #expect(loop.snapshot.openConnections == 0)
            await loop.stop()
        }
    }

    @Test func `a request for public addresses does not use a private connection that is open`() async throws
    {
        ScriptedNames.set("both.scripted.test", "127.0.0.1")
        try await withServer { connection in
            while connection.request() != nil { connection.answer() }
        } _: { server in
            try await withCurlTransport { transport in
                let text = try await transport.text(server.url(host: "both.scripted.test"))
                #expect(text == "hello")
                #expect(transport.snapshot.openConnections == 1)
                let request = try request("http://both.scripted.test:\(server.port)/")
                #expect(await code { try await transport.body(request) } == .blockedAddress)
                #expect(transport.snapshot.loops == 2)
            }
            #expect(server.accepted == 1)
        }
    }

    @Test(arguments: ["http://127.0.0.1:PORT/", "//127.0.0.1:PORT/", "http://0x7f.1:PORT/"])
    func `a redirect is held against the policy too`(location: String) async throws {
        try await withTrap { trap, transport in
            let from = try WebURL("http://public.example/")
            let target = try from.resolving(location.replacing("PORT", with: "\(trap.port)"))
            let request = try request("http://public.example/").redirected(to: target)
            #expect(await code { try await transport.body(request) } == .blockedAddress)
        }
    }

    @Test func `the environment's proxy is not used`() async throws {
        // In a process of its own, for its environment is every test's.
        await #expect(processExitsWith: .success) {
            try await withServer { connection in
                while connection.request() != nil { connection.answer(body: "\(connection.number)") }
            } _: { server in
                for name in ["http_proxy", "all_proxy"] { unsafe setenv(name, "http://127.0.0.1:9", 1) }
                try await withCurlTransport { transport in
                    let text = try await transport.text(server.url())
                    #expect(text == "0")
                }
            }
        }
    }

    @Test func `line breaks in a URL reach the origin encoded or not at all`() async throws {
        try await withServer { connection in
            while let request = connection.request() { connection.answer(body: request) }
        } _: { server in
            try await withCurlTransport { transport in
                let seen = try await transport.text(server.url("/a%0d%0aX-Evil:%20yes"))
                #expect(seen.hasPrefix("GET /a%0d%0aX-Evil:%20yes HTTP/1.1\r\n"))
                #expect(!seen.contains("\nX-Evil"))
            }
        }
    }
}
