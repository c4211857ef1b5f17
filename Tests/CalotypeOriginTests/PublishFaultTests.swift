import CalotypeOrigin
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PublishFaultTests {
    @Test func `a status is sent always, or for the first requests of each path`() async throws {
        try await withTestOrigin { origin, client in
            var statuses: [Int?] = []
            for path in ["503:2/inbox/a", "503:2/inbox/a", "503:2/inbox/b", "503:2/inbox/a", "401/inbox/a"] {
                statuses.append(await client.send("PUT", "/publish-faults/\(path)", "abc").status)
            }
            #expect(statuses == [503, 503, 503, 201, 401])
            #expect(origin.received.media.map(\.puts) == [1])
        }
    }

    @Test func `too many requests say when to try again`() async throws {
        try await withTestOrigin { origin, client in
            let url = "/publish-faults/429:20/posts"
            let refused = await client.send("POST", url, "{}")
            #expect(refused.status == 429)
            #expect(refused.field("Retry-After") == "20")
            let reset = try #require(refused.field("X-RateLimit-Reset"))
            #expect(reset.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil)
            #expect(await client.send("POST", url, "{}").status == 201)
            #expect(origin.received.posts.map(\.sends) == [1])
        }
    }

    @Test func `a body is refused before it is read`() async throws {
        try await withTestOrigin { _, client in
            let answer = await client.send("PUT", "/publish-faults/early-413/inbox/a", "a", length: 1_000_000)
            #expect(answer.status == 413)
            #expect(await client.get("/publish-faults/early-413/inbox/a").status == 404)
        }
    }

    @Test(arguments: [(0, 0), (50, 50), (99, 99), (100, 100)])
    func `a body is cut, once`(percent: Int, bytes: Int) async throws {
        try await withTestOrigin { origin, client in
            let path = "/publish-faults/cut:\(percent)/inbox/a"
            let body = String(repeating: "x", count: 100)
            #expect(await client.send("PUT", path, body).bytes.isEmpty)
            let received = try await origin.received { !$0.requests.isEmpty }
            #expect(received.media.map(\.bytesReceived) == [bytes])
            #expect(received.media.map(\.hangUps) == [1])
            #expect(received.requests.map(\.status) == [nil])
            #expect(await client.send("PUT", path, body).status == 201)
        }
    }

    @Test func `the response is lost, but the request takes effect`() async throws {
        try await withTestOrigin { origin, client in
            let base = "/publish-faults/lost-answer@posts"
            #expect(await client.send("PUT", "\(base)/inbox/a", "abc").status == 201)
            let lost = await client.send("POST", "\(base)/posts", "{}", fields: ["Idempotency-Key: k"])
            #expect(lost.bytes.isEmpty)
            #expect(lost.end == .closed)
            let again = await client.send("POST", "\(base)/posts", "{}", fields: ["Idempotency-Key: k"])
            #expect(again.field("Location") == "\(base)/posts/1")
            #expect(origin.received.posts.map(\.sends) == [2])
        }
    }

    @Test func `a receiver stalls until its client has gone`() async throws {
        try await withTestOrigin { origin, client in
            let path = "/publish-faults/stall/inbox/a"
            async let answer = client.send("PUT", path, "abcdef", limit: 0)
            let received = try await origin.received { $0.media.first?.hangUps == 1 }
            #expect(received.media.map(\.bytesReceived) == [3])
            #expect(await answer.bytes.isEmpty)
            #expect(await client.send("PUT", path, "abcdef").status == 201)
        }
    }

    @Test func `a stalled receiver times out if it cannot see that its client has gone`() async throws {
        try await withTestOrigin(configure: { $0.idleLimit = .milliseconds(50) }) { origin, client in
            // More than fits in between: the end of what the client sends does not arrive.
            let path = "/publish-faults/stall/inbox/a"
            let answer = await client.send("PUT", path, String(repeating: "x", count: 16 << 20))
            #expect(answer.bytes.isEmpty)
            _ = try await origin.received { $0.media.first?.hangUps == 1 }
        }
    }

    @Test func `a receiver is slow and responds late`() async throws {
        try await withTestOrigin { _, client in
            let start = ContinuousClock.now
            let path = "/publish-faults/slow:1000,latency:50/inbox/a"
            #expect(await client.send("PUT", path, String(repeating: "x", count: 100)).status == 201)
            #expect(ContinuousClock.now - start >= .milliseconds(140))
        }
    }

    @Test func `a fault is for a method or a part of the path`() async throws {
        try await withTestOrigin { _, client in
            #expect(await client.send("PUT", "/publish-faults/500@PUT/inbox/a", "a").status == 500)
            #expect(await client.send("POST", "/publish-faults/500@PUT/inbox/a", "a").status == 201)
            #expect(await client.get("/publish-faults/500@b/inbox/b").status == 500)
            #expect(await client.get("/publish-faults/500@b/inbox/a").status == 500)
            #expect(await client.get("/publish-faults/500@posts/inbox/a").status == 200)
        }
    }

    @Test(arguments: [
        "nonsense", "399", "503:x", "503:1:1", "429", "cut", "cut:x", "lost-answer@", "", "503,", "slow",
    ])
    func `an invalid fault gets status 400`(fault: String) async throws {
        try await withTestOrigin { _, client in
            #expect(await client.get("/publish-faults/\(fault)/posts").status == 400)
        }
    }

    @Test(arguments: [("/list.txt", 404), ("/", 404), ("/publish-faults/503/posts", 404), ("/posts", 405)])
    func `only what receives can be spoilt`(path: String, status: Int) async throws {
        try await withTestOrigin { _, client in
            #expect(await client.send("DELETE", "/publish-faults/503\(path)").status == status)
        }
    }
}
