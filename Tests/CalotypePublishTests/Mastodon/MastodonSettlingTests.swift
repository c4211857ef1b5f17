import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

/// A post may have been sent before, and it is found out whether it is published.
@Suite(.timeLimit(.minutes(1)))
struct MastodonSettlingTests: MastodonPosting {
    let server: ScriptedServer

    init() throws {
        server = try ScriptedServer()
    }

    @Test func `Mastodon is asked again with the same key, within the hour`() async throws {
        server.on("GET /api/v2/instance", .json(#"{"version": "4.4.1"}"#))
        server.on(Self.statuses, Self.published)
        let post = try await publish(
            draft(),
            mayHaveBeenSent: true,
            firstSent: Self.now + .seconds(-2999)
        )
        #expect(post.id == "42")
        #expect(server.lines == ["GET /api/v2/instance", Self.statuses])
        #expect(server.transport.requests.last?.headers["Idempotency-Key"] == "0f-1")
    }

    @Test(arguments: [
        #"{"version": "4.4.1"}"#, #"{"version": "4.0.0 (not true; really snac/2.75)"}"#,
        #"{"version": "0.17.3"}"#,
    ])
    func `when keys do not help, the account's posts are looked at first`(instance: String) async throws {
        server.on("GET /api/v2/instance", .json(instance))
        server.answerSearch(
            """
            [{"id": "50", "created_at": "2027-01-15T07:59:59.000Z", "media_attachments": []},
             {"id": "49", "created_at": "2027-01-15T07:00:59.000Z", "url": "https://social.test/49",
              "media_attachments": [{"id": "9", "url": "x"}, {"id": "7", "url": "y"}]}]
            """
        )
        let post = try await publish(
            draft(),
            mayHaveBeenSent: true,
            firstSent: Self.now + .seconds(-3600)
        )
        #expect(post.id == "49")
        #expect(post.url == "https://social.test/49")
        #expect(!server.lines.contains(Self.statuses))
    }

    @Test(arguments: [1, 600, 86_400])
    func `when the clock was set back, the account's posts are looked at first`(ahead: Int) async throws {
        server.on("GET /api/v2/instance", .json(#"{"version": "4.4.1"}"#))
        server.answerSearch(
            """
            [{"id": "50", "created_at": "2027-01-15T07:59:59.000Z", "media_attachments": []},
             {"id": "49", "created_at": "2027-01-15T05:00:59.000Z",
              "media_attachments": [{"id": "9", "url": "x"}, {"id": "7", "url": "y"}]}]
            """
        )
        server.on(Self.statuses, Self.published)
        let firstSent = Self.now + .seconds(ahead)
        let post = try await publish(draft(), mayHaveBeenSent: true, firstSent: firstSent)
        #expect(post.id == "49")
        #expect(!server.lines.contains(Self.statuses))
    }

    @Test func `when the clock was set back, a post that is not there is sent after a pause`()
        async throws
    {
        server.on("GET /api/v2/instance", .json(#"{"version": "4.4.1"}"#))
        server.answerSearch("[]")
        server.on(Self.statuses, Self.published)
        let firstSent = Self.now + .seconds(3600)
        let destination = MastodonDestination(server: server.url, token: Secret("hunter2"))
        let early = SessionLog(server.client(now: Self.now))
        let failure = await publishFailure { [draft = draft()] in
            try await destination.publish(draft, early.post(mayHaveBeenSent: true, firstSent: firstSent))
        }
        #expect(failure?.remedy == .settle)
        #expect(!server.lines.contains(Self.statuses))
        for (seconds, isSent) in [(4, false), (5, true)] {
            let later = PostSession(
                client: server.client(now: Self.now + .seconds(seconds)),
                key: "k",
                mayHaveBeenSent: true,
                firstSent: firstSent,
                state: early.state,
                remember: { early.states.record($0) }
            )
            _ = await publishFailure { [draft = draft()] in try await destination.publish(draft, later) }
            #expect(server.lines.contains(Self.statuses) == isSent)
        }
    }

    @Test func `when the clock was set back, a post of the same text may be another one`() async throws {
        server.on("GET /api/v2/instance", .json(#"{"version": "4.4.1"}"#))
        server.answerSearch(#"[{"id": "49", "created_at": "2027-01-15T05:00:00Z", "text": "Cats & dogs"}]"#)
        server.on(Self.statuses, Self.published)
        let firstSent = Self.now + .seconds(600)
        let failure = await publishFailure { [draft = draft(ids: [])] in
            try await publish(draft, mayHaveBeenSent: true, firstSent: firstSent)
        }
        #expect(failure?.error.code == .outcomeUnknown && failure?.remedy == PublishError.Remedy.none)
        #expect(!server.lines.contains(Self.statuses))
    }

    @Test func `a post that was sent again, and cut, is waited for before the next`() async throws {
        server.on("GET /api/v1/instance", .json(#"{"version": "0.17.3"}"#))
        server.answerSearch("[]")
        server.on(Self.statuses, .failure(ScriptedSite.reset), Self.published)
        let destination = MastodonDestination(server: server.url, token: Secret("hunter2"))
        let log = SessionLog(server.client(now: Self.now))
        for _ in 0..<2 {
            let session = log.post(mayHaveBeenSent: true, firstSent: Self.now + .seconds(-60))
            let failed = await code { [draft = draft()] in try await destination.publish(draft, session) }
            #expect(failed != nil)
        }
        #expect(server.lines.count { $0 == Self.statuses } == 1)
    }

    @Test func `a post that is not there is sent`() async throws {
        server.on("GET /api/v1/instance", .json(#"{"version": "4.0.0 (not true; really snac/2.75)"}"#))
        // Another post with one of the media, and one by somebody else.
        server.answerSearch(
            """
            [{"id": "50", "created_at": "2027-01-15T07:59:59.000Z", "media_attachments": [{"id": "9", "url": "x"}]},
             {"id": "49", "created_at": "2027-01-15T07:59:58.000Z", "account": {"id": "2"},
              "media_attachments": [{"id": "9", "url": "x"}, {"id": "7", "url": "y"}]}]
            """
        )
        server.on(Self.statuses, Self.published)
        let post = try await publish(draft(), mayHaveBeenSent: true, firstSent: Self.now + .seconds(-60))
        #expect(post.id == "42")
    }

    @Test func `a server may still be busy with the first request`() async throws {
        server.on("GET /api/v1/instance", .json(#"{"version": "0.17.3"}"#))
        server.answerSearch("[]")
        let failure = try #require(
            await publishFailure {
                try await publish(draft(), mayHaveBeenSent: true, firstSent: Self.now + .seconds(-4))
            }
        )
        #expect(failure.remedy == .settle)
        #expect(!server.lines.contains(Self.statuses))
    }

    @Test func `media in a post may have other ids, and the same URLs`() async throws {
        server.answerSearch(
            """
            [{"id": "49", "created_at": "2027-01-15T07:59:59Z", "media_attachments": [
                {"id": "p_0", "url": "https://cdn.test/9"}, {"id": "p_1", "url": "https://cdn.test/7"}]}]
            """
        )
        let post = try await publish(draft(), mayHaveBeenSent: true, firstSent: Self.now)
        #expect(post.id == "49")
    }

    @Test(arguments: [
        (#""text": "Cats & dogs""#, true), (#""content": "<p>Cats &amp; dogs</p>""#, true),
        (#""content": "<p>Cats &amp; dogs!? And more</p>""#, false), (#""text": "Cats""#, false),
        (#""content": null"#, false), (#""params": {"text": "Cats & dogs"}"#, true),
        (#""text": "Cats & dogs", "media_attachments": [{"id": "1"}]"#, false),
    ])
    func `a post without media is known by its text`(fields: String, isFound: Bool) async throws {
        server.answerSearch("[{\"id\": \"49\", \"created_at\": \"2027-01-15T07:59:30Z\", \(fields)}]")
        server.on(Self.statuses, Self.published)
        let firstSent = Self.now + .seconds(-10)
        let post = try await publish(draft(ids: []), mayHaveBeenSent: true, firstSent: firstSent)
        #expect(post.id == (isFound ? "49" : "42"))
    }

    @Test func `an older post of the same text is another one`() async throws {
        server.answerSearch(#"[{"id": "49", "created_at": "2027-01-15T07:50:00Z", "text": "Cats & dogs"}]"#)
        server.on(Self.statuses, Self.published)
        let post = try await publish(
            draft(ids: []),
            mayHaveBeenSent: true,
            firstSent: Self.now + .seconds(-60)
        )
        #expect(post.id == "42")
    }

    @Test func `a post that few may see is looked for where they see it`() async throws {
        server.answerSearch("[]")
        server.on(
            "GET /api/v1/timelines/home?limit=40",
            .json(
                #"[{"id": "49", "created_at": "2027-01-15T08:00:00Z", "account": {"id": "1"}, "text": "Psst"}]"#
            )
        )
        var post = Post("Psst")
        post.visibility = .followers
        let published = try await publish(
            PostDraft(post, media: []),
            mayHaveBeenSent: true,
            firstSent: Self.now
        )
        #expect(published.id == "49")
    }

    @Test func `a post to be shown later is looked for among its like`() async throws {
        server.on("GET /api/v2/instance", .json(#"{"version": "4.4.1"}"#))
        server.answerSearch("[]")
        server.on(
            "GET /api/v1/scheduled_statuses?limit=40",
            .json(
                """
                [{"id": "3", "scheduled_at": "2027-01-15T09:05:00.000Z", "params": {"text": "Later"},
                  "media_attachments": []}]
                """
            )
        )
        var post = Post("Later")
        post.schedule = Self.now + .seconds(3900)
        let published = try await publish(
            PostDraft(post, media: []),
            mayHaveBeenSent: true,
            firstSent: Self.now + .seconds(-7200)
        )
        #expect(published.id == "3")
    }

    @Test func `where posts to be shown later are not listed, nobody knows`() async throws {
        server.answerSearch("[]")
        server.on("GET /api/v1/scheduled_statuses?limit=40", .json("[]"))
        var post = Post("Later")
        post.schedule = Self.now + .seconds(3900)
        let failure = try #require(
            await publishFailure {
                try await publish(
                    PostDraft(post, media: []),
                    mayHaveBeenSent: true,
                    firstSent: Self.now + .seconds(-60)
                )
            }
        )
        #expect(failure.remedy == .none)
        #expect(failure.error.code == .outcomeUnknown)
        #expect(!server.lines.contains(Self.statuses))
    }

    @Test(arguments: [401, 403, 404, 422, 500, 503])
    func `as long as nobody can look, nothing is sent`(status: Int) async throws {
        server.answerSearch("[]")
        server.on(ScriptedServer.search, .status(status))
        server.on(Self.statuses, Self.published)
        let isConfirmed = Recorder<Bool>()
        let failure = try #require(
            await publishFailure {
                try await publish(
                    draft(),
                    mayHaveBeenSent: true,
                    firstSent: Self.now + .seconds(-60),
                    isConfirmed
                )
            }
        )
        #expect(failure.remedy == (status >= 500 ? .retry : .none))
        #expect(isConfirmed.values.isEmpty)
        #expect(!server.lines.contains(Self.statuses))
    }

    @Test func `a refusal after a search is the whole truth`() async throws {
        server.answerSearch("[]")
        server.on(Self.statuses, .status(403))
        let isConfirmed = Recorder<Bool>()
        let failure = try #require(
            await publishFailure {
                try await publish(
                    draft(),
                    mayHaveBeenSent: true,
                    firstSent: Self.now + .seconds(-60),
                    isConfirmed
                )
            }
        )
        #expect(failure.remedy == .none)
        #expect(isConfirmed.values == [true])
    }

    @Test func `the search goes back to the first request, and no further`() async throws {
        func page(_ ids: ClosedRange<Int>, _ time: String) -> ScriptedResponse {
            .json(
                "["
                    + ids.reversed().map { "{\"id\": \"\($0)\", \"created_at\": \"\(time)\"}" }
                    .joined(separator: ",") + "]"
            )
        }
        server.answerSearch("[]")
        server.on(ScriptedServer.search, page(161...200, "2027-01-15T07:59:00Z"))
        server.on("\(ScriptedServer.search)&max_id=161", page(121...160, "2027-01-15T06:30:00Z"))
        server.on("\(ScriptedServer.search)&max_id=121", page(81...120, "2027-01-15T04:59:00Z"))
        server.on(Self.statuses, Self.published)
        let post = try await publish(draft(), mayHaveBeenSent: true, firstSent: Self.now + .seconds(-7200))
        #expect(post.id == "42")
        #expect(server.lines.count { $0.hasPrefix(ScriptedServer.search) } == 3)
    }

    @Test func `a server that gives the same page again does not hold the search`() async throws {
        let entries = (1...40).map { "{\"id\": \"\($0)\", \"created_at\": \"2027-01-15T08:00:00Z\"}" }
        server.answerSearch("[\(entries.joined(separator: ","))]")
        server.on("\(ScriptedServer.search)&max_id=40", .json("[\(entries.joined(separator: ","))]"))
        server.on(Self.statuses, Self.published)
        let post = try await publish(draft(), mayHaveBeenSent: true, firstSent: Self.now + .seconds(-60))
        #expect(post.id == "42")
    }

    @Test(arguments: [(422, true), (503, false), (403, false)])
    func `if the server knows the key, an error in the request shows that the post does not exist`(
        status: Int,
        isKnown: Bool
    ) async throws {
        server.on("GET /api/v2/instance", .json(#"{"version": "4.4.1"}"#))
        server.on(Self.statuses, .status(status))
        let isConfirmed = Recorder<Bool>()
        _ = await publishFailure {
            try await publish(draft(ids: []), mayHaveBeenSent: true, firstSent: Self.now, isConfirmed)
        }
        #expect(isConfirmed.values == (isKnown ? [true] : []))
    }

    @Test func `media that are gone may be in the post that was sent before`() async throws {
        server.on("GET /api/v2/instance", .json(#"{"version": "4.4.1"}"#))
        server.on(Self.statuses, .json(#"{"error": "Media 9, 7 not found"}"#, status: 422))
        server.answerSearch(
            """
            [{"id": "49", "created_at": "2027-01-15T08:00:00Z",
              "media_attachments": [{"id": "9", "url": "x"}, {"id": "7", "url": "y"}]}]
            """
        )
        let post = try await publish(draft(), mayHaveBeenSent: true, firstSent: Self.now)
        #expect(post.id == "49")
    }
}
