import CalotypeOrigin
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CachingTests {
    private static let date = "Tue, 14 Nov 2023 22:13:20 GMT"

    @Test func `every response has a date, and pictures have the configured cache control`() async throws {
        try await withTestOrigin(configure: { $0.cacheControl = "max-age=3600" }) { _, client in
            let plain = await client.get("/pictures/a.jpg")
            #expect(plain.field("Cache-Control") == "max-age=3600")
            #expect(plain.field("Date")?.hasSuffix(" GMT") == true)
            let other = await client.get("/pictures/a.jpg?cache=no-cache,%20max-age%3D5")
            #expect(other.field("Cache-Control") == "no-cache, max-age=5")
            #expect(await client.get("/list.txt").field("Cache-Control") == nil)
            let tag = try #require(plain.field("ETag"))
            let unchanged = await client.get("/pictures/a.jpg", "If-None-Match: \(tag)")
            #expect(unchanged.field("Cache-Control") == "max-age=3600")
        }
    }

    @Test func `a query adds fields, also to other responses`() async throws {
        try await withTestOrigin { _, client in
            let answer = await client.get("/cut/50/a.jpg?field=Vary:Accept&field=Age:50")
            #expect(answer.field("Vary") == "Accept")
            #expect(answer.field("Age") == "50")
            let missing = await client.get("/status/404?cache=max-age=9")
            #expect(missing.status == 404)
            #expect(missing.field("Cache-Control") == "max-age=9")
        }
    }

    @Test(arguments: ["field=a", "field=:a", "field=a:%0D%0Ab:c", "cache=%0A", "tag=strange", "ranges=x"])
    func `an invalid query gets status 400`(query: String) async throws {
        try await withTestOrigin { _, client in
            #expect(await client.get("/pictures/a.jpg?\(query)").status == 400)
        }
    }

    @Test func `a picture may have a weak tag, none, and no date`() async throws {
        try await withTestOrigin { _, client in
            let strong = try #require(await client.get("/pictures/a.jpg").field("ETag"))
            #expect(await client.get("/pictures/a.jpg?tag=weak").field("ETag") == "W/\(strong)")
            let none = await client.get("/pictures/a.jpg?tag=none&date=none")
            #expect(none.field("ETag") == nil)
            #expect(none.field("Last-Modified") == nil)
            let conditions = [
                ("tag=weak", "If-None-Match: W/\(strong)", 304),
                ("tag=none", "If-None-Match: \(strong)", 200),
                ("date=none", "If-Modified-Since: \(Self.date)", 200),
                ("tag=none", "If-Modified-Since: \(Self.date)", 304),
            ]
            for (query, field, status) in conditions {
                #expect(await client.get("/pictures/a.jpg?\(query)", field).status == status)
            }
        }
    }

    @Test func `a 304 may come without fields`() async throws {
        try await withTestOrigin { _, client in
            let field = "If-Modified-Since: \(Self.date)"
            let answer = await client.get("/pictures/a.jpg?unchanged=bare&cache=max-age=1", field)
            #expect(answer.status == 304)
            #expect(answer.field("ETag") == nil)
            #expect(answer.field("Cache-Control") == nil)
        }
    }

    @Test(
        arguments: [
            ("", 206, "bytes 9000-9999/10000"), ("?ranges=served", 206, "bytes 9000-9999/10000"),
            ("?ranges=ignored", 200, nil),
            ("?ranges=shifted", 206, "bytes 8999-9998/10000"), ("?ranges=refused", 416, "bytes */10000"),
        ] as [(String, Int, String?)]
    )
    func `a range may receive a wrong response`(query: String, status: Int, range: String?) async throws {
        try await withTestOrigin { _, client in
            let answer = await client.get("/pictures/a.jpg\(query)", "Range: bytes=9000-")
            #expect(answer.status == status)
            #expect(answer.field("Content-Range") == range)
            if status == 206 { #expect(answer.body == Array(TestPictures.small[9000...])) }
            if status == 200 { #expect(answer.body == TestPictures.small) }
        }
    }

    @Test func `cut-first cuts the first responses, including parts`() async throws {
        try await withTestOrigin { origin, client in
            let first = await client.get("/cut-first/2/4000/a.jpg")
            #expect(first.field("Content-Length") == "10000")
            #expect(first.body == Array(TestPictures.small[..<4000]))
            let tag = try #require(first.field("ETag"))
            let fields = ["Range: bytes=4000-", "If-Range: \(tag)"]
            let second = await client.get("/cut-first/2/4000/a.jpg", fields[0], fields[1])
            #expect(second.field("Content-Length") == "6000")
            #expect(second.body == Array(TestPictures.small[4000..<8000]))
            let third = await client.get("/cut-first/2/4000/a.jpg", "Range: bytes=8000-", fields[1])
            #expect(third.body == Array(TestPictures.small[8000...]))
            // Another query is another picture, and what is short enough is not cut.
            #expect(await client.get("/cut-first/2/4000/a.jpg?x=1").body.count == 4000)
            #expect(await client.get("/cut-first/2/10000/a.jpg?x=2").body.count == 10_000)
            #expect(origin.statistics.partial == 2)
        }
    }

    @Test func `a picture changes, or its origin fails, after some requests`() async throws {
        let files = ["a.jpg": TestPictures.small, "b.jpg": [1, 2, 3]]
        try await withTestOrigin(files) { _, client in
            let old = await client.get("/changing/1/a.jpg")
            let new = await client.get("/changing/1/a.jpg")
            #expect(old.body == TestPictures.small)
            #expect(new.body == [1, 2, 3])
            #expect(old.field("ETag") != new.field("ETag"))
            #expect(await client.get("/changing/0/b.jpg").body == TestPictures.small)
            #expect(await client.get("/failing/1/a.jpg").status == 200)
            #expect(await client.get("/failing/1/a.jpg").status == 503)
        }
    }

    @Test func `responses are counted by status`() async throws {
        try await withTestOrigin { origin, client in
            for field in ["Range: bytes=0-1", "If-None-Match: *", "X: y"] {
                _ = await client.get("/pictures/a.jpg", field)
            }
            _ = await client.get("/hang-headers", limit: 5)
            #expect(origin.statistics.responsesByStatus == [200: 1, 206: 1, 304: 1])
            #expect(origin.statistics.notModified == 1)
            let json = String(decoding: await client.get("/stats").body, as: UTF8.self)
            #expect(json.contains("\"by_status\": {\"200\": 1, \"206\": 1, \"304\": 1}"))
        }
    }
}
