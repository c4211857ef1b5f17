import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1)))
struct MastodonPublishTests {
    private static let now = WallTime(secondsSince1970: 1_800_000_000)
    private static let statuses = "POST /api/v1/statuses"
    private static let published = ScriptedAnswer.json(#"{"id": "42", "url": "https://social.test/@ada/42"}"#)

    private let server: ScriptedServer

    init() throws {
        server = try ScriptedServer()
    }

    private func draft(_ text: String = "Cats & dogs", ids: [String] = ["9", "7"]) -> PostDraft {
        .sample(text, ids: ids)
    }

    private func publish(
        _ draft: PostDraft,
        mayHaveBeenSent: Bool = false,
        firstSent: WallTime? = nil,
        _ isConfirmed: Recorder<Bool> = Recorder()
    ) async throws -> PublishedPost {
        let session = PostSession(
            client: server.client(now: Self.now),
            key: "0f-1",
            mayHaveBeenSent: mayHaveBeenSent,
            firstSent: firstSent,
            remember: { _ in },
            confirmNotPublished: { isConfirmed.record(true) }
        )
        return try await MastodonDestination(server: server.url, token: Secret("hunter2"))
            .publish(draft, session)
    }

    @Test func `the post names its media in order, and carries its key (P25)`() async throws {
        server.on(Self.statuses, Self.published)
        let draft = draft()
        let post = try await publish(draft)
        #expect(post.id == "42")
        #expect(post.url == "https://social.test/@ada/42")
        #expect(post.media == draft.media.map(\.uploaded))
        #expect(server.lines == [Self.statuses])
        #expect(
            server.body(of: Self.statuses) == #"{"media_ids":["9","7"],"status":"Cats & dogs"}"#
        )
        let request = try #require(server.transport.requests.first)
        #expect(request.headers["Idempotency-Key"] == "0f-1")
        #expect(request.headers["Authorization"] == "Bearer hunter2")
        #expect(request.needsNewConnection)
    }

    @Test(arguments: zip(Post.Visibility.allCases, ["public", "unlisted", "private", "direct"]))
    func `who may see it, its language and its time are told`(
        visibility: Post.Visibility,
        word: String
    ) async throws {
        server.on(Self.statuses, .json(#"{"id": "3", "scheduled_at": "2027-01-15T08:05:00.000Z"}"#))
        var post = Post("Später")
        (post.visibility, post.language, post.schedule) = (visibility, "de", Self.now + .seconds(300))
        let published = try await publish(PostDraft(post, media: []))
        #expect(published == PublishedPost(id: "3", url: nil, media: []))
        #expect(
            server.body(of: Self.statuses)
                == #"{"language":"de","media_ids":[],"scheduled_at":"2027-01-15T08:05:00Z","status":"Später","#
                + "\"visibility\":\"\(word)\"}"
        )
    }

    @Test func `a time that is too near is not even asked for`() async throws {
        var post = Post("Soon")
        post.schedule = Self.now + .seconds(299)
        let failure = try #require(await publishFailure { try await publish(PostDraft(post, media: [])) })
        #expect(failure.error.code == .invalidRequest)
        #expect(failure.remedy == .none)
        #expect(failure.error.message.contains("2027-01-15T08:04:59Z"))
        #expect(server.lines.isEmpty)
    }

    // MARK: Refusals

    @Test func `media that are still processed are waited for (P11)`() async throws {
        let text = "Cannot attach files that have not finished processing. Try again in a moment!"
        server.on(Self.statuses, .json("{\"error\": \"\(text)\"}", status: 422))
        let failure = try #require(await publishFailure { try await publish(draft()) })
        #expect(failure.remedy == .retry)
        #expect(server.lines == [Self.statuses])
    }

    @Test(arguments: [
        (206, PublishFailure.Remedy.retry, "http_422"), (404, .none, "upload_lost"), (200, .none, "http_422"),
    ])
    func `a refusal in another language is understood by asking (P11)`(
        status: Int,
        remedy: PublishFailure.Remedy,
        code: String
    ) async throws {
        server.on(Self.statuses, .json(#"{"error": "Noch nicht fertig"}"#, status: 422))
        server.on("GET /api/v1/media/9", .status(200))
        server.on("GET /api/v1/media/7", .status(status))
        let failure = try #require(await publishFailure { try await publish(draft()) })
        #expect(failure.remedy == remedy)
        #expect(failure.error.code.rawValue == code)
        #expect(failure.error.message.contains("Noch nicht fertig"))
    }

    @Test(arguments: [408, 500, 502, 503, 504])
    func `after an error of the server nobody knows (P04)`(status: Int) async throws {
        server.on(Self.statuses, .status(status))
        let failure = try #require(await publishFailure { try await publish(draft()) })
        #expect(failure.remedy == .settle)
    }

    @Test(arguments: [401, 404, 422, 429])
    func `what another URL answers tells nothing about the post (P04)`(status: Int) async throws {
        server.on(Self.statuses, .redirect(to: "/elsewhere", status: 307))
        server.on("POST /elsewhere", .status(status))
        let failure = try #require(await publishFailure { try await publish(draft(ids: [])) })
        #expect(failure.remedy == .settle)
    }

    @Test(arguments: [ScriptedAnswer.bytes(Array("<html>".utf8)), .bytes([]), .json("{}")])
    func `after an answer that cannot be read nobody knows (P04)`(answer: ScriptedAnswer) async throws {
        server.on(Self.statuses, answer)
        let failure = try #require(await publishFailure { try await publish(draft()) })
        #expect(failure.remedy == .settle)
    }

    @Test(arguments: [
        (ScriptedAnswer.status(401), PublishFailure.Remedy.none), (.status(403), .none),
        (.status(429, headers: ["X-RateLimit-Reset": "2027-01-15T08:00:09Z"]), .wait(.seconds(9))),
        (.status(429, headers: ["Retry-After": "7"]), .wait(.seconds(7))), (.status(429), .wait(nil)),
        (.status(503, headers: ["Retry-After": "7"]), .wait(.seconds(7))),
    ])
    func `other refusals say themselves what helps`(
        answer: ScriptedAnswer,
        remedy: PublishFailure.Remedy
    ) async throws {
        server.on(Self.statuses, answer)
        let failure = try #require(await publishFailure { try await publish(draft()) })
        #expect(failure.remedy == remedy)
    }

    // MARK: After a lost answer

    @Test func `Mastodon is asked again with the same key, within the hour (P04)`() async throws {
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
    func `when keys do not help, the account's posts are looked at first (P04)`(instance: String) async throws
    {
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

    @Test func `a post that is not there is sent (P04)`() async throws {
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
    func `as long as nobody can look, nothing is sent (P04)`(status: Int) async throws {
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
        func page(_ ids: ClosedRange<Int>, _ time: String) -> ScriptedAnswer {
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
    func `where the key is known, a fault in the request tells that the post is not there`(
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

extension PostDraft {
    /// A draft whose media have these ids.
    static func sample(_ text: String, ids: [String]) -> PostDraft {
        let media = ids.enumerated().map { position, id in
            let file = SourceFile(path: "/x", size: ByteCount(1), modified: 0, sha256: "", md5: "")
            return PostDraft.Medium(
                PreparedMedium(position: position, name: id, file: file, type: MediaType("image/png")),
                UploadedMedium(id: id, url: "https://cdn.test/\(id)")
            )
        }
        return PostDraft(Post(text), media: media)
    }
}

extension ScriptedServer {
    /// The first question for the account's posts.
    static let search = "GET /api/v1/accounts/1/statuses?limit=40"

    /// Answers the questions of a search.
    func answerSearch(_ statuses: String) {
        on("GET /api/v1/accounts/verify_credentials", .json(#"{"id": "1"}"#))
        on(Self.search, .json(statuses))
    }
}
