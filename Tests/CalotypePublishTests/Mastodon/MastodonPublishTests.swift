import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

/// A post is sent, and what the server answers.
@Suite(.timeLimit(.minutes(1)))
struct MastodonPublishTests: MastodonPosting {
    let server: ScriptedServer

    init() throws {
        server = try ScriptedServer()
    }

    @Test func `the post names its media in order, and carries its key`() async throws {
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
    func `visibility, language and schedule are sent`(
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

    @Test func `a time that is too soon is not requested`() async throws {
        var post = Post("Soon")
        post.schedule = Self.now + .seconds(299)
        let failure = try #require(await publishFailure { try await publish(PostDraft(post, media: [])) })
        #expect(failure.error.code == .invalidRequest)
        #expect(failure.remedy == .none)
        #expect(failure.error.message.contains("2027-01-15T08:04:59Z"))
        #expect(server.lines.isEmpty)
    }

    // MARK: Refusals

    @Test func `media that are still processed are waited for`() async throws {
        let text = "Cannot attach files that have not finished processing. Try again in a moment!"
        server.on(Self.statuses, .json("{\"error\": \"\(text)\"}", status: 422))
        let failure = try #require(await publishFailure { try await publish(draft()) })
        #expect(failure.remedy == .retry)
        #expect(server.lines == [Self.statuses])
    }

    @Test(arguments: [
        (206, PublishError.Remedy.retry, "http_422"), (404, .none, "upload_lost"), (200, .none, "http_422"),
    ])
    func `a refusal in another language is understood by asking`(
        status: Int,
        remedy: PublishError.Remedy,
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
    func `after an error of the server nobody knows`(status: Int) async throws {
        server.on(Self.statuses, .status(status))
        let failure = try #require(await publishFailure { try await publish(draft()) })
        #expect(failure.remedy == .settle)
    }

    @Test(arguments: [401, 404, 422, 429])
    func `another URL's response proves nothing about the post`(status: Int) async throws {
        server.on(Self.statuses, .redirect(to: "/elsewhere", status: 307))
        server.on("POST /elsewhere", .status(status))
        let failure = try #require(await publishFailure { try await publish(draft(ids: [])) })
        #expect(failure.remedy == .settle)
    }

    @Test(arguments: [ScriptedResponse.bytes(Array("<html>".utf8)), .bytes([]), .json("{}")])
    func `after an unreadable response the outcome is unknown`(answer: ScriptedResponse) async throws {
        server.on(Self.statuses, answer)
        let failure = try #require(await publishFailure { try await publish(draft()) })
        #expect(failure.remedy == .settle)
    }

    @Test(arguments: [
        (ScriptedResponse.status(401), PublishError.Remedy.none), (.status(403), .none),
        (.status(429, headers: ["X-RateLimit-Reset": "2027-01-15T08:00:09Z"]), .wait(.seconds(9))),
        (.status(429, headers: ["Retry-After": "7"]), .wait(.seconds(7))), (.status(429), .wait(nil)),
        (.status(503, headers: ["Retry-After": "7"]), .wait(.seconds(7))),
    ])
    func `other refusals say themselves what helps`(
        answer: ScriptedResponse,
        remedy: PublishError.Remedy
    ) async throws {
        server.on(Self.statuses, answer)
        let failure = try #require(await publishFailure { try await publish(draft()) })
        #expect(failure.remedy == remedy)
    }
}
