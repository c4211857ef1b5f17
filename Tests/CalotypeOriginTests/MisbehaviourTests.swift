import CalotypeOrigin
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MisbehaviourTests {
    @Test(arguments: [404, 500, 429, 301, 599])
    func `the status is the requested one`(status: Int) async throws {
        try await withTestOrigin { _, client in
            let answer = await client.get("/status/\(status)?retry-after=2")
            #expect(answer.status == status)
            #expect(answer.field("Retry-After") == "2")
        }
    }

    @Test func `flaky fails for the first requests of each picture`() async throws {
        try await withTestOrigin { _, client in
            var statuses: [Int?] = []
            for _ in 0..<4 { statuses.append(await client.get("/flaky/2/a.jpg").status) }
            #expect(statuses == [503, 503, 200, 200])
            #expect(await client.get("/flaky/2/large.webp").status == 503)
        }
    }

    @Test func `redirects count down to the picture`() async throws {
        try await withTestOrigin { _, client in
            #expect(await client.get("/redirect/2/a.jpg").field("Location") == "/redirect/1/a.jpg")
            #expect(await client.get("/redirect/1/a.jpg").field("Location") == "/pictures/a.jpg")
            #expect(await client.get("/loop").field("Location") == "/loop")
            let elsewhere = await client.get("/redirect-to?url=http%3A%2F%2F10.0.0.1%2Fx%3Fy")
            #expect(elsewhere.status == 302)
            #expect(elsewhere.field("Location") == "http://10.0.0.1/x?y")
            #expect(await client.get("/redirect-to?url=a%0d%0aX-Evil:1").status == 400)
        }
    }

    @Test func `latency holds the whole response back`() async throws {
        try await withTestOrigin { _, client in
            let start = ContinuousClock.now
            let answer = await client.get("/latency/80/a.jpg")
            #expect(ContinuousClock.now - start >= .milliseconds(80))
            #expect(answer.body == TestPictures.small)
        }
    }

    @Test func `html, a wrong type and nothing come with status 200`() async throws {
        try await withTestOrigin { _, client in
            let page = await client.get("/html/a.jpg")
            #expect(page.status == 200)
            #expect(page.field("Content-Type") == "text/html; charset=utf-8")
            let wrong = await client.get("/wrong-type/a.jpg")
            #expect(wrong.field("Content-Type") == "text/plain")
            #expect(wrong.body == TestPictures.small)
            let empty = await client.get("/empty")
            #expect(empty.field("Content-Length") == "0")
            #expect(empty.body.isEmpty)
        }
    }

    @Test func `a body may come without length, in chunks, or be longer than it says`() async throws {
        try await withTestOrigin { _, client in
            let open = await client.get("/no-length/a.jpg")
            #expect(open.field("Content-Length") == nil)
            #expect(open.body == TestPictures.small)
            let chunked = await client.get("/chunked/a.jpg")
            #expect(chunked.field("Transfer-Encoding") == "chunked")
            #expect(chunked.body.starts(with: Array("2000\r\n".utf8) + TestPictures.small[..<100]))
            #expect(chunked.body.suffix(7).elementsEqual("\r\n0\r\n\r\n".utf8))
            let long = await client.get("/wrong-length/a.jpg")
            #expect(long.field("Content-Length") == "9900")
            #expect(long.body == TestPictures.small)
        }
    }

    @Test func `half is a right response with half a file`() async throws {
        try await withTestOrigin { _, client in
            let answer = await client.get("/half/a.jpg")
            #expect(answer.field("Content-Length") == "5000")
            #expect(answer.body == Array(TestPictures.small[..<5000]))
        }
    }

    @Test func `cut closes early and reset resets after the head`() async throws {
        try await withTestOrigin { _, client in
            let cut = await client.get("/cut/30/a.jpg")
            #expect(cut.field("Content-Length") == "10000")
            #expect(cut.body.count == 3000)
            #expect(cut.end == .closed)
            let reset = await client.get("/reset/a.jpg")
            #expect(reset.status == 200)
            #expect(reset.body.isEmpty)
            #expect(reset.end == .reset)
        }
    }

    @Test func `slow sends at its rate`() async throws {
        try await withTestOrigin { _, client in
            let start = ContinuousClock.now
            let answer = await client.get("/slow/50000/a.jpg")
            // Two portions of 5,000 bytes, a tenth of a second apart.
            #expect(ContinuousClock.now - start >= .milliseconds(100))
            #expect(answer.body == TestPictures.small)
        }
    }

    /// The limits are what is sure to come, or the client would wait for the end of its patience.
    @Test(arguments: [("/hang", 0), ("/hang-headers", 27), ("/stall/50/a.jpg", 5100)])
    func `silence lasts until the client goes, and that is counted`(path: String, limit: Int) async throws {
        try await withTestOrigin { origin, client in
            let answer = await client.get(path, limit: limit)
            #expect(answer.end == .limit)
            #expect(TestPictures.small.starts(with: answer.body))
            #expect(path != "/hang-headers" || answer.head == "HTTP/1.1 200 OK\r\nContent-Ty")
            let counts = try await origin.statistics { $0.earlyHangUps == 1 && $0.openConnections == 0 }
            #expect(counts.bytesSent >= limit)
            #expect(counts.bytesSent < 6000)
        }
    }

    @Test(arguments: ["/endless", "/endless-headers"])
    func `an endless body continues as long as somebody reads`(path: String) async throws {
        try await withTestOrigin { origin, client in
            let answer = await client.get(path, limit: 3 << 20)
            #expect(answer.end == .limit)
            #expect(path == "/endless" || !answer.bytes.dropFirst(100).starts(with: [13, 10, 13, 10]))
            _ = try await origin.statistics { $0.earlyHangUps == 1 && $0.openConnections == 0 }
        }
    }

    @Test func `garbage is no HTTP`() async throws {
        try await withTestOrigin { _, client in
            let answer = await client.get("/garbage")
            #expect(answer.status == nil)
            #expect(!answer.bytes.isEmpty)
        }
    }

    @Test func `the bombs are small and say what they are`() async throws {
        try await withTestOrigin { _, client in
            let png = await client.get("/bomb.png")
            #expect(png.body.count < 10_000)
            #expect(png.body[16..<24].elementsEqual([0, 0, 0xfd, 0xe8, 0, 0, 0xfd, 0xe8]))
            let gzip = await client.get("/gzip-bomb")
            #expect(gzip.field("Content-Encoding") == "gzip")
            #expect(gzip.body.count < 2 << 20)
            #expect(gzip.body.starts(with: [0x1f, 0x8b, 8]))
        }
    }
}
