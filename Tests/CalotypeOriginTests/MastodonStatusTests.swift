import CalotypeOrigin
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MastodonStatusTests {
    @Test func `a status has its media in the requested order`() async throws {
        try await withMastodon { origin, client in
            let first = try await client.uploaded()
            let second = try await client.uploaded()
            let answer = await client.post(
                "status=Gr%C3%BC%C3%9Fe+%26+mehr&media_ids[]=\(second)&media_ids%5B%5D=\(first)"
                    + "&visibility=unlisted&language=de&sensitive=true&spoiler_text=x"
            )
            #expect(answer.status == 200)
            let status = answer.json()
            #expect(status["media_attachments"]?.list?.map { $0["id"] } == [.text(second), .text(first)])
            #expect(status["content"] == .text("<p>Grüße &amp; mehr</p>"))
            let record = try #require(origin.received.mastodon.statuses.first)
            #expect(record.text == "Grüße & mehr")
            #expect(record.mediaIDs == [second, first])
            #expect(record.visibility == "unlisted")
            #expect(record.language == "de")
            #expect(record.sensitive)
            let id = try #require(status["id"]?.text)
            #expect(await client.send("GET", "/api/v1/statuses/\(id)").status == 200)
            #expect(await client.send("DELETE", "/api/v1/statuses/\(id)").status == 200)
            #expect(await client.send("GET", "/api/v1/statuses/\(id)").status == 404)
        }
    }

    @Test func `a status comes as JSON or as a multipart form as well`() async throws {
        try await withMastodon { origin, client in
            let id = try await client.uploaded()
            let json = #"{"status": "hello", "media_ids": ["\#(id)"], "sensitive": false}"#
            let type = "Content-Type: application/json; charset=utf-8"
            #expect(await client.send("POST", "/api/v1/statuses", Array(json.utf8), type).status == 200)
            let other = try await client.uploaded()
            let form = ["status": "two", "media_ids[]": other]
            #expect(await client.upload(nil, form, to: "/api/v1/statuses").status == 200)
            #expect(origin.received.mastodon.statuses.map(\.mediaIDs) == [[id], [other]])
            let broken = await client.send("POST", "/api/v1/statuses", Array("{".utf8), type)
            #expect(broken.status == 400)
        }
    }

    @Test func `a status is made once for its key`() async throws {
        try await withMastodon("/publish-faults/lost-answer@statuses") { origin, client in
            let id = try await client.uploaded()
            #expect(await client.post("status=a&media_ids[]=\(id)", key: "k").bytes.isEmpty)
            let again = await client.post("status=a&media_ids[]=\(id)", key: "k")
            #expect(again.status == 200)
            #expect(again.json()["media_attachments"]?.list?.count == 1)
            #expect(origin.received.mastodon.statuses.map(\.sends) == [2])
            #expect(origin.received.mastodon.statuses.map(\.key) == ["k"])
        }
        try await withMastodon("/publish-faults/no-keys") { origin, client in
            for _ in 0..<2 { #expect(await client.post("status=a", key: "k").status == 200) }
            #expect(origin.received.mastodon.statuses.count == 2)
        }
    }

    @Test func `a status is refused in the words of a real server`() async throws {
        try await withMastodon { origin, client in
            let film = try await client.uploaded(MastodonClient.film)
            var ids: [String] = []
            for _ in 0..<5 { ids.append(try await client.uploaded()) }
            let all = ids.map { "media_ids[]=\($0)" }.joined(separator: "&")
            let cases = [
                (all, "Cannot attach more than 4 files"),
                ("media_ids[]=5", "Media 5 not found or already attached to another post"),
                (
                    "media_ids[]=\(film)&media_ids[]=\(ids[0])",
                    "Cannot attach a video to a post that already contains images"
                ),
                (
                    "media_ids[]=\(film)",
                    "Cannot attach files that have not finished processing. Try again in a moment!"
                ),
                ("status=", "Validation failed: Text can't be blank"),
                (
                    "status=\(String(repeating: "x", count: 501))",
                    "Validation failed: Text character limit of 500 exceeded"
                ),
                ("status=a&visibility=secret", "Validation failed: Visibility is not included in the list"),
                (
                    "status=a&scheduled_at=2020-01-01T00:00:00Z",
                    "Validation failed: Scheduled at The scheduled date must be in the future"
                ),
            ]
            for (form, said) in cases {
                let answer = await client.post(form)
                #expect(answer.status == 422)
                #expect(answer.error == said)
            }
            #expect(origin.received.mastodon.statuses.isEmpty)
            let link = "https://example.com/\(String(repeating: "x", count: 600))"
            #expect(await client.post("status=\(link)").status == 200)
        }
    }

    @Test func `media that are not ready are refused until they are`() async throws {
        try await withMastodon { _, client in
            let film = try await client.uploaded(MastodonClient.film)
            var statuses: [Int?] = []
            for _ in 0..<3 { statuses.append(await client.post("media_ids[]=\(film)").status) }
            #expect(statuses == [422, 422, 200])
        }
        try await withMastodon("/publish-faults/not-ready:2") { _, client in
            let id = try await client.uploaded()
            var statuses: [Int?] = []
            for _ in 0..<3 { statuses.append(await client.post("media_ids[]=\(id)").status) }
            #expect(statuses == [422, 422, 200])
        }
    }

    @Test func `a medium belongs to one status`() async throws {
        try await withMastodon { _, client in
            let id = try await client.uploaded()
            #expect(await client.post("media_ids[]=\(id)", key: "a").status == 200)
            #expect(await client.post("media_ids[]=\(id)", key: "b").status == 422)
        }
    }

    @Test func `a status may be for later`() async throws {
        try await withMastodon { origin, client in
            let answer = await client.post("status=a&scheduled_at=2100-01-01T12:00:00.000Z", key: "k")
            #expect(answer.status == 200)
            #expect(answer.json()["scheduled_at"] == .text("2100-01-01T12:00:00.000Z"))
            #expect(origin.received.mastodon.statuses.map(\.scheduledAt) == ["2100-01-01T12:00:00.000Z"])
            let listed = await client.send("GET", "/api/v1/accounts/1/statuses").json()
            #expect(listed.list?.isEmpty == true)
        }
    }

    @Test func `own statuses are found, newest first`() async throws {
        try await withMastodon { _, client in
            let me = await client.send("GET", "/api/v1/accounts/verify_credentials").json()
            #expect(me["id"] == .text("1"))
            for number in 0..<50 { _ = await client.post("status=\(number)") }
            let found = await client.send("GET", "/api/v1/accounts/1/statuses?limit=40").json()
            #expect(found.list?.count == 40)
            #expect(found.list?.first?["content"] == .text("<p>49</p>"))
            let last = try #require(found.list?.last?["id"]?.text)
            let older = await client.send("GET", "/api/v1/accounts/1/statuses?limit=40&max_id=\(last)")
                .json()
            #expect(older.list?.map { $0["content"] }.first == .text("<p>9</p>"))
            #expect(older.list?.count == 10)
            #expect(await client.send("GET", "/api/v1/accounts/2/statuses").status == 404)
        }
    }

    @Test func `requests without the token are rejected, and the limits apply to all`() async throws {
        try await withMastodon { _, client in
            var stranger = client
            stranger.token = "wrong"
            for path in ["/api/v1/accounts/verify_credentials", "/api/v1/media/1", "/api/v1/statuses/1"] {
                let answer = await stranger.send("GET", path)
                #expect(answer.status == 401)
                #expect(answer.error == "The access token is invalid")
            }
            #expect(await stranger.upload(MastodonClient.png()).status == 401)
            for path in ["/api/v1/instance", "/api/v2/instance"] {
                let instance = await stranger.send("GET", path).json()
                let limits = instance["configuration"]
                #expect(limits?["statuses"]?["max_media_attachments"] == .whole(4))
                #expect(limits?["media_attachments"]?["image_size_limit"] == .whole(16_777_216))
            }
        }
    }
}
