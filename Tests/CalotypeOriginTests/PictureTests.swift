import CalotypeOrigin
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PictureTests {
    @Test func `a picture comes whole, with its length, type, tag and date`() async throws {
        try await withTestOrigin { _, client in
            let answer = await client.get("/pictures/a.jpg")
            #expect(answer.status == 200)
            #expect(answer.body == TestPictures.small)
            #expect(answer.field("Content-Length") == "10000")
            #expect(answer.field("Content-Type") == "image/jpeg")
            #expect(answer.field("ETag")?.hasPrefix("\"") == true)
            #expect(answer.field("Last-Modified") == "Tue, 14 Nov 2023 22:13:20 GMT")
        }
    }

    @Test func `names may have blanks and folders`() async throws {
        try await withTestOrigin { origin, client in
            let url = origin.pictureURL("in a/folder/b.png")
            #expect(url == "\(origin.baseURL)/pictures/in%20a/folder/b.png")
            let answer = await client.get("/pictures/in%20a/folder/b.png")
            #expect(answer.body == TestPictures.files["in a/folder/b.png"])
        }
    }

    @Test func `HEAD has the same head and no body`() async throws {
        try await withTestOrigin { _, client in
            let answer = await client.send("HEAD /pictures/a.jpg HTTP/1.1\r\nConnection: close\r\n\r\n")
            #expect(answer.status == 200)
            #expect(answer.field("Content-Length") == "10000")
            #expect(answer.body.isEmpty)
        }
    }

    @Test func `a current tag or date receives 304, another one the picture`() async throws {
        try await withTestOrigin { _, client in
            let tag = try #require(await client.get("/pictures/a.jpg").field("ETag"))
            let same = await client.get("/pictures/a.jpg", "If-None-Match: \"x\", W/\(tag)")
            #expect(same.status == 304)
            #expect(same.body.isEmpty)
            #expect(same.field("ETag") == tag)
            #expect(await client.get("/pictures/a.jpg", "If-None-Match: *").status == 304)
            #expect(await client.get("/pictures/a.jpg", "If-None-Match: \"x\"").body == TestPictures.small)
            let date = "If-Modified-Since: Tue, 14 Nov 2023 22:13:20 GMT"
            #expect(await client.get("/pictures/a.jpg", date).status == 304)
            #expect(await client.get("/pictures/a.jpg", date, "If-None-Match: \"x\"").status == 200)
        }
    }

    @Test(arguments: [
        ("bytes=0-99", 0..<100), ("bytes=9000-", 9000..<10_000), ("bytes=-10", 9990..<10_000),
        ("bytes=9999-99999", 9999..<10_000), ("bytes=-99999", 0..<10_000),
        ("bytes=5-9223372036854775807", 5..<10_000),
    ])
    func `a range receives that part`(range: String, part: Range<Int>) async throws {
        try await withTestOrigin { _, client in
            let answer = await client.get("/pictures/a.jpg", "Range: \(range)")
            #expect(answer.status == 206)
            #expect(answer.body == Array(TestPictures.small[part]))
            #expect(answer.field("Content-Range") == "bytes \(part.lowerBound)-\(part.upperBound - 1)/10000")
        }
    }

    @Test(arguments: ["bytes=10000-", "bytes=-0", "bytes=20000-30000"])
    func `a range beyond the end receives 416 with the length`(range: String) async throws {
        try await withTestOrigin { _, client in
            let answer = await client.get("/pictures/a.jpg", "Range: \(range)")
            #expect(answer.status == 416)
            #expect(answer.field("Content-Range") == "bytes */10000")
        }
    }

    @Test(arguments: ["bytes=1-2,4-5", "bytes=5-2", "bytes=x-2", "bytes=-", "lines=1-2", "bytes=1--2"])
    func `a range that is not valid or not one is ignored`(range: String) async throws {
        try await withTestOrigin { _, client in
            #expect(await client.get("/pictures/a.jpg", "Range: \(range)").body == TestPictures.small)
        }
    }

    @Test func `If-Range gives the part of the same picture and the whole of another`() async throws {
        try await withTestOrigin { _, client in
            let tag = try #require(await client.get("/pictures/a.jpg").field("ETag"))
            let same = await client.get("/pictures/a.jpg", "Range: bytes=1-2", "If-Range: \(tag)")
            #expect(same.status == 206)
            let other = await client.get("/pictures/a.jpg", "Range: bytes=1-2", "If-Range: \"other\"")
            #expect(other.status == 200)
            #expect(other.body == TestPictures.small)
        }
    }
}
