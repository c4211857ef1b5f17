import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypeHTTP

@Suite(.timeLimit(.minutes(1)))
struct HTTPClientTests {
    /// Runs `body` with a client and a server that answers by path: `/N` redirects to `/N-1` down to `/0`.
    private func withClient(
        _ limits: HTTPClient.Limits = HTTPClient.Limits(),
        _ body: (HTTPClient, ScriptedServer) async throws -> Void
    ) async throws {
        try await withServer { connection in
            while let request = connection.request() { Self.answer(request, connection) }
        } _: { server in
            try await withCurlTransport { transport in
                let client = HTTPClient(transport, limits: limits)
                try await body(client, server)
                #expect(client.snapshot == HTTPClient.Snapshot())
            }
        }
    }

    private static func answer(_ request: String, _ connection: ScriptedConnection) {
        let path = request.split(separator: " ")[1].dropFirst()
        switch path {
        case "0": connection.answer(body: request)
        case "loop": connection.answer("302 Found", ["Location: /loop2"])
        case "loop2": connection.answer("302 Found", ["Location: /loop"])
        case "nowhere": connection.answer("302 Found")
        case "file": connection.answer("302 Found", ["Location: file:///etc/passwd"])
        case "gopher": connection.answer("302 Found", ["Location: gopher://127.0.0.1/"])
        case "busy": connection.answer("429 Too Many Requests", ["Retry-After: 7"])
        case "304": connection.send("HTTP/1.1 304 Not Modified\r\n\r\n")
        default:
            guard let number = Int(path) else { return connection.answer("404 Not Found") }
            connection.answer("302 Found", ["Location: \(number - 1)"])
        }
    }

    private func text(_ client: HTTPClient, _ url: WebURL) async throws -> String {
        try await client.withResponse(to: HTTPRequest(url)) { response in
            try response.requireSuccess()
            return String(decoding: try await response.body.collect(), as: UTF8.self)
        }
    }

    @Test func `redirects are followed, and the response contains its final URL`() async throws {
        try await withClient { client, server in
            try await client.withResponse(to: HTTPRequest(server.url("/10"))) { response in
                #expect(response.status == 200)
                #expect(response.url.text.hasSuffix("/0"))
                #expect(client.snapshot.active == 1)
            }
        }
    }

    @Test func `each hop has to be accepted, also those that a redirect leads to`() async throws {
        let asked = Recorder<String>()
        try await withServer { connection in
            while let request = connection.request() {
                asked.record(String(request.split(separator: " ")[1]))
                Self.answer(request, connection)
            }
        } _: { server in
            try await withCurlTransport { transport in
                let client = HTTPClient(transport) { !$0.text.hasSuffix("/1") && !$0.text.hasSuffix("/9") }
                for (path, way) in [("/3", ["/3", "/2"]), ("/9", [])] {
                    let url = try server.url(path)
                    do {
                        try await client.withResponse(to: HTTPRequest(url)) { _ in }
                        Issue.record("nothing was thrown")
                    } catch let error as CalotypeError {
                        #expect(error.code == .blockedSource)
                        #expect(error.url?.hasSuffix(way.isEmpty ? "/9" : "/1") == true)
                    }
                    #expect(asked.values.suffix(way.count) == way[...])
                }
                let last = try await text(client, server.url("/0"))
                #expect(last.hasPrefix("GET /0"))
                #expect(asked.values == ["/3", "/2", "/0"])
                #expect(client.snapshot == HTTPClient.Snapshot())
            }
        }
    }

    @Test(arguments: [
        ("/11", "too_many_redirects"), ("/loop", "too_many_redirects"), ("/nowhere", "invalid_redirect"),
        ("/file", "unsupported_scheme"), ("/gopher", "unsupported_scheme"), ("/missing", "http_404"),
        ("/busy", "http_429"), ("/304", "http_304"),
    ])
    func `a response that leads nowhere has its code`(path: String, expected: String) async throws {
        try await withClient { client, server in
            let url = try server.url(path)
            let failure = await code { try await text(client, url) }
            #expect(failure?.rawValue == expected)
        }
    }

    @Test func `the status is the caller's, Retry-After included`() async throws {
        try await withClient { client, server in
            try await client.withResponse(to: HTTPRequest(server.url("/busy"))) { response in
                #expect(response.status == 429)
                #expect(response.retryAfter == .seconds(7))
            }
        }
    }

    @Test func `a redirect to another origin does not take secrets along`() async throws {
        try await withClient { client, server in
            let target = try server.url("/0").text
            try await withServer { connection in
                while connection.request() != nil {
                    connection.answer("307 Temporary Redirect", ["Location: \(target)"])
                }
            } _: { first in
                var request = HTTPRequest(try WebURL("http://me:secret@127.0.0.1:\(first.port)/"))
                try request.addHeader("Cookie", "a=b")
                try request.addHeader("X-Plain", "kept")
                let seen = try await client.withResponse(to: request) { response in
                    String(decoding: try await response.body.collect(), as: UTF8.self)
                }
                #expect(
                    !seen.contains("Authorization") && !seen.contains("Cookie")
                        && seen.contains("X-Plain: kept")
                )
            }
        }
    }

    @Test func `credentials of the URL go to its origin, through redirects there`() async throws {
        try await withClient { client, server in
            let seen = try await text(client, WebURL("http://u:p@127.0.0.1:\(server.port)/0"))
            #expect(seen.contains("Authorization: Basic dTpw"))
            #expect(seen.contains("User-Agent: Calotype/0.1 libcurl/"))
            #expect(seen.contains("Accept-Encoding: identity"))
        }
    }

    @Test func `the numbers of exchanges per origin and in total are limited`() async throws {
        var limits = HTTPClient.Limits()
        limits.connections = 3
        limits.connectionsPerHost = 2
        let gauge = Gauge()
        try await withClient(limits) { client, server in
            let other = try server.url("/0", host: "localhost")
            let one = try server.url("/0")
            try await withThrowingTaskGroup { group in
                for number in 0..<40 {
                    group.addTask {
                        let url = number % 2 == 0 ? one : other
                        try await client.withResponse(to: HTTPRequest(url)) { response in
                            gauge.enter(url.host)
                            _ = try await response.body.collect()
                            gauge.leave(url.host)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(gauge.highest("127.0.0.1") <= 2 && gauge.highest("localhost") <= 2)
            #expect(gauge.highestInAll <= 3)
        }
    }

    @Test func `a wait that becomes urgent overtakes an older one`() async throws {
        var limits = HTTPClient.Limits()
        limits.connections = 1
        let order = Recorder<String>()
        try await withClient(limits) { client, server in
            let request = HTTPRequest(try server.url("/0"))
            try await withThrowingTaskGroup { group in
                try await client.withResponse(to: request) { _ in
                    let priorities = ["older": LivePriority(.low), "younger": LivePriority(.low)]
                    for (waiting, name) in ["older", "younger"].enumerated() {
                        group.addTask {
                            let priority = priorities[name] ?? LivePriority()
                            try await client.withConnection(for: request, priority: priority) {
                                order.record(name)
                                return try await $0.withResponse { _ in }
                            }
                        }
                        while client.snapshot.waiting <= waiting { await Task.yield() }
                    }
                    priorities["younger"]?.set(.high)
                }
                try await group.waitForAll()
            }
        }
        #expect(order.values == ["younger", "older"])
    }

    @Test func `a caller's own permit is taken with those of the client held, and released at a redirect`()
        async throws
    {
        let gate = AdmissionGate(capacity: 1)
        try await withClient { client, server in
            try await client.withConnection(for: HTTPRequest(server.url("/3"))) { connection in
                #expect(client.snapshot.active == 1)
                let permit = try await gate.acquire()
                return try await connection.withResponse { _ in
                    #expect(permit.weight == 1)
                    #expect(gate.snapshot.used == 1)
                    permit.release()
                }
            }
            #expect(gate.snapshot.used == 0)
        }
    }

    @Test func `a caller that fails before it sends leaves nothing held`() async throws {
        struct Own: Error {}
        try await withClient { client, server in
            await #expect(throws: Own.self) {
                try await client.withConnection(for: HTTPRequest(server.url("/0"))) {
                    _ -> HTTPClient.Hop<Void> in
                    throw Own()
                }
            }
            #expect(server.accepted == 0)
        }
    }

    @Test func `origins that never respond do not delay the others`() async throws {
        try await withClient { client, server in
            try await withServer { connection in
                _ = connection.request()
                connection.waitForHangUp()
            } _: { silent in
                let (dead, good) = (try silent.url(), try server.url("/0"))
                try await withThrowingTaskGroup { group in
                    for _ in 0..<100 {
                        group.addTask { _ = try await text(client, dead) }
                    }
                    for _ in 0..<100 {
                        let answer = try await text(client, good)
                        #expect(answer.hasPrefix("GET /0"))
                    }
                    group.cancelAll()
                }
            }
        }
    }

    @Test func `names that hang or do not exist hold up nobody else`() async throws {
        var limits = HTTPClient.Limits()
        limits.connections = 1
        let names = (0..<3).map { "stall\($0).scripted.test" }
        for name in names { ScriptedNames.set(name, "hang") }
        ScriptedNames.set("unknown.scripted.test", "fail")
        defer { for name in names { ScriptedNames.release(name) } }
        try await withClient(limits) { client, server in
            try await withThrowingTaskGroup { group in
                for name in names {
                    // Longer than the test may take.
                    var request = HTTPRequest(try server.url(host: name))
                    request.timeouts.connect = .seconds(600)
                    group.addTask { [request] in try await client.withResponse(to: request) { _ in } }
                }
                while client.snapshot.resolving < names.count { await Task.yield() }
                let answer = try await text(client, server.url("/0"))
                #expect(answer.hasPrefix("GET /0"))
                #expect(client.snapshot.resolving == names.count)
                #expect(client.snapshot.active + client.snapshot.waiting == 0)
                group.cancelAll()
            }
            let steps = Recorder<HTTPClient.Step>()
            let unknown = HTTPRequest(try server.url(host: "unknown.scripted.test"))
            #expect(
                await code {
                    try await client.withResponse(to: unknown, onStep: { steps.record($0) }) { _ in }
                } == .dnsFailed
            )
            guard steps.values.count == 1, case .resolved = steps.values[0] else {
                Issue.record("a name that does not exist is told as \(steps.values)")
                return
            }
        }
    }

    @Test func `the total timeout holds for all hops together`() async throws {
        try await withServer { connection in
            var hops = 0
            while connection.request() != nil {
                guard connection.linger(milliseconds: 120) else { return }
                hops += 1
                connection.answer("302 Found", ["Location: /\(hops)"])
            }
        } _: { server in
            try await withCurlTransport { transport in
                var request = HTTPRequest(try server.url("/start"))
                request.timeouts.total = .milliseconds(300)
                let client = HTTPClient(transport)
                let failure = await code { [request] in try await client.withResponse(to: request) { _ in } }
                #expect(failure == .timeoutTotal)
            }
        }
    }
}

/// How many are inside at once, by place and in all.
private final class Gauge: Sendable {
    private struct State {
        var now: [String: Int] = [:]
        var highest: [String: Int] = [:]
        var highestInAll = 0
    }

    private let state = Guarded(State())

    var highestInAll: Int { state.withLock(\.highestInAll) }

    func highest(_ place: String) -> Int { state.withLock { $0.highest[place] ?? 0 } }

    func enter(_ place: String) {
        state.withLock { state in
            state.now[place, default: 0] += 1
            state.highest[place] = max(state.highest[place] ?? 0, state.now[place] ?? 0)
            state.highestInAll = max(state.highestInAll, state.now.values.reduce(0, +))
        }
    }

    func leave(_ place: String) {
        state.withLock { $0.now[place, default: 0] -= 1 }
    }
}
