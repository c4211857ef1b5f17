import CalotypeDigests
import CalotypeOrigin
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MastodonMediaTests {
    @Test func `a picture is ready immediately`() async throws {
        try await withMastodon { origin, client in
            let file = MastodonClient.png(40, 30)
            let answer = await client.upload(file, ["description": "ein Bär", "focus": "0.5,-0.25"])
            #expect(answer.status == 200)
            #expect(answer.field("X-RateLimit-Limit") == "300")
            let medium = answer.json()
            #expect(medium["type"] == .text("image"))
            #expect(medium["description"] == .text("ein Bär"))
            #expect(medium["meta"]?["original"]?["size"] == .text("40x30"))
            #expect(medium["meta"]?["focus"]?["y"] == .number(-0.25))
            let url = try #require(medium["url"]?.text)
            #expect(await client.raw.get(String(url.dropFirst(origin.baseURL.count))).body == file)
            let record = try #require(origin.received.mastodon.media.first)
            #expect(record.sha256 == (try Digest(.sha256, of: file).hexadecimal))
            #expect(record.fileName == "a.png")
            #expect(record.focus == "0.5,-0.25")
        }
    }

    @Test func `a video is processed until it has been queried a few times`() async throws {
        try await withMastodon { origin, client in
            let answer = await client.upload(MastodonClient.film)
            #expect(answer.status == 202)
            let medium = answer.json()
            #expect(medium["url"] == .null)
            #expect(medium["type"] == .text("video"))
            let path = "/api/v1/media/\(try #require(medium["id"]?.text))"
            var statuses: [Int?] = []
            for _ in 0..<3 { statuses.append(await client.send("GET", path).status) }
            #expect(statuses == [206, 206, 200])
            let ready = await client.send("GET", path).json()
            #expect(ready["url"]?.text != nil)
            #expect(origin.received.mastodon.media.map(\.polls) == [4])
            #expect(await client.upload(MastodonClient.film, to: "/api/v1/media").status == 200)
        }
    }

    @Test func `processing takes as long as is wanted, or fails`() async throws {
        try await withMastodon("/publish-faults/202:5") { _, client in
            let answer = await client.upload(MastodonClient.png())
            #expect(answer.status == 202)
            let path = "/api/v1/media/\(try #require(answer.json()["id"]?.text))"
            for _ in 0..<5 { #expect(await client.send("GET", path).status == 206) }
            #expect(await client.send("GET", path).status == 200)
        }
        try await withMastodon("/publish-faults/processing-failed") { _, client in
            let path = "/api/v1/media/\(try await client.uploaded())"
            #expect(await client.send("GET", path).status == 206)
            let failed = await client.send("GET", path)
            #expect(failed.status == 422)
            #expect(failed.error == "Error processing thumbnail for uploaded media")
        }
    }

    @Test func `media are changed and deleted until a status has them`() async throws {
        try await withMastodon { origin, client in
            let id = try await client.uploaded()
            let path = "/api/v1/media/\(id)"
            let type = "Content-Type: application/json"
            let changed = await client.send("PUT", path, Array(#"{"description": "new"}"#.utf8), type)
            #expect(changed.json()["description"] == .text("new"))
            let gone = try await client.uploaded()
            let answer = await client.send("DELETE", "/api/v1/media/\(gone)")
            #expect(answer.status == 200)
            #expect(answer.json() == .object([:]))
            #expect(await client.send("GET", "/api/v1/media/\(gone)").status == 404)
            #expect(await client.send("DELETE", "/api/v1/media/\(gone)").status == 404)
            #expect(await client.post("media_ids[]=\(id)").status == 200)
            let used = await client.send("DELETE", path)
            #expect(used.status == 422)
            #expect(used.error == "Media attachment is currently used by a status")
            #expect(await client.send("GET", path).status == 404)
            #expect(origin.received.mastodon.media.map(\.deleted) == [false, true])
            #expect(origin.received.mastodon.media[0].attachedTo != nil)
        }
    }

    @Test func `what is not taken is refused in the words of a real server`() async throws {
        try await withMastodon { origin, client in
            let blank = await client.upload(nil)
            #expect(blank.status == 422)
            #expect(blank.error == "Validation failed: File can't be blank")
            let unknown = await client.upload(Array("MZ no picture".utf8))
            #expect(unknown.status == 422)
            #expect(unknown.error == "Validation failed: File content type is invalid, File is invalid")
            let large = await client.upload(MastodonClient.png(10_000, 5_000))
            #expect(large.status == 422)
            #expect(large.error == "10000x5000 images are not supported")
            let wordy = await client.upload(
                MastodonClient.png(),
                ["description": String(repeating: "x", count: 1501)]
            )
            #expect(wordy.status == 422)
            #expect(wordy.error?.contains("maximum is 1500 characters") == true)
            #expect(origin.received.mastodon.media.isEmpty)
            #expect(origin.received.bytesKept == 0)
        }
    }

    @Test func `a file that is too long is refused after it came`() async throws {
        try await withMastodon { origin, client in
            let answer = await client.upload(MastodonClient.png(length: 16 << 20))
            #expect(answer.status == 422)
            let said =
                "Validation failed: File must be less than 16 MB, File file size must be less than 16 MB"
            #expect(answer.error == said)
            #expect(origin.received.bytesKept == 0)
        }
    }

    @Test func `names of files may hold anything`() async throws {
        try await withMastodon { origin, client in
            _ = await client.upload(MastodonClient.png(), name: "a%22; b%0D%0Ac\\\\\\\" \u{1F600}.png")
            #expect(origin.received.mastodon.media.map(\.fileName) == ["a\"; b\r\nc\\\" \u{1F600}.png"])
        }
    }

    @Test(arguments: [
        ("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nabc", "; boundary=b"),
        ("--b--", ""), ("--bX", "; boundary=b"), ("--b\r\nnonsense\r\n\r\n\r\n--b--", "; boundary=b"),
        ("", "; boundary=b"),
    ])
    func `an invalid form is refused`(body: String, boundary: String) async throws {
        try await withMastodon { origin, client in
            let type = "Content-Type: multipart/form-data\(boundary)"
            let answer = await client.send("POST", "/api/v2/media", Array(body.utf8), type)
            #expect(answer.status == 400)
            #expect(origin.received.bytesKept == 0)
        }
    }

    @Test func `a file that is cut is not there`() async throws {
        try await withMastodon("/publish-faults/cut:50@media") { origin, client in
            #expect(await client.upload(MastodonClient.png()).bytes.isEmpty)
            #expect(origin.received.mastodon.media.isEmpty)
            #expect(origin.received.bytesKept == 0)
            #expect(await client.upload(MastodonClient.png()).status == 200)
        }
    }

    @Test func `media beyond the rate are refused until the time is over`() async throws {
        try await withMastodon("/publish-faults/rate:2:100") { origin, client in
            var answers: [Exchange] = []
            for _ in 0..<3 { answers.append(await client.upload(MastodonClient.png())) }
            #expect(answers.map(\.status) == [200, 200, 429])
            #expect(answers.map { $0.field("X-RateLimit-Remaining") } == ["1", "0", "0"])
            #expect(answers[2].field("Retry-After") == nil)
            #expect(answers[2].error == "Too many requests")
            #expect(answers[0].field("X-RateLimit-Reset") == answers[2].field("X-RateLimit-Reset"))
        }
    }

    @Test func `an older server has no version 2 and deletes no media`() async throws {
        try await withMastodon("/publish-faults/no-v2,no-delete") { _, client in
            #expect(await client.upload(MastodonClient.png()).status == 404)
            #expect(await client.send("GET", "/api/v2/instance").status == 404)
            #expect(await client.send("GET", "/api/v1/instance").status == 200)
            let answer = await client.upload(MastodonClient.png(), to: "/api/v1/media")
            #expect(answer.status == 200)
            let id = try #require(answer.json()["id"]?.text)
            #expect(await client.send("DELETE", "/api/v1/media/\(id)").status == 404)
        }
    }
}
