import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypePublish

/// Whole publications at the simulator of a strict server.
@Suite(.timeLimit(.minutes(1)))
struct MastodonPublisherTests {
    private func publishing<Output: Sendable>(
        _ body: (Publishing) async throws -> Output
    ) async throws -> Output {
        try await withPublishing({ $0.clock = HurriedClock() }, body)
    }

    /// The bytes of what passes for a video.
    private func video(_ count: Int = 1000) -> [UInt8] {
        [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 0, 1] + [UInt8](repeating: 7, count: count - 16)
    }

    /// The states that a publication tells, and what comes of it.
    private func publish(
        _ post: Post,
        at publishing: Publishing,
        _ fault: String? = nil,
        token: String = "demo"
    ) async throws -> (Result<PublishedPost, any Error>, [PublishState]) {
        let progress = PublishProgress(interval: .zero)
        async let told = progress.reduce(into: []) { $0.append($1) }
        let result: Result<PublishedPost, any Error>
        do {
            let destination = try publishing.mastodon(fault, token: token)
            result = .success(
                try await publishing.publisher.publish(post, to: destination, progress: progress)
            )
        } catch {
            result = .failure(error)
        }
        return (result, await told)
    }

    /// Expects that the post is there once, with all its media in order, each of them once.
    private func expectOnce(_ published: PublishedPost, _ received: Received, media: Int) {
        #expect(received.mastodon.media.count == media)
        #expect(received.mastodon.statuses.count == 1)
        #expect(received.mastodon.statuses.first?.id == published.id)
        #expect(received.mastodon.statuses.first?.mediaIDs == published.media.map(\.id))
        #expect(received.mastodon.media.allSatisfy { $0.attachedTo == published.id })
    }

    @Test func `all media go up, then the post, in their order, each once`() async throws {
        try await publishing { publishing in
            var post = try publishing.post("Cats & dogs", pictures: 4)
            post.media[1].focus = Media.Focus(x: 0.5, y: -0.25)
            (post.visibility, post.language) = (.unlisted, "de")
            post.contentWarning = "Animals"
            // The first one comes last.
            let large = TinyPicture.png(PixelSize(width: 600, height: 600))
            try Data(large).write(to: URL(filePath: "\(publishing.folder)/picture-0.png"))
            let (result, states) = try await publish(post, at: publishing)
            let published = try result.get()
            let received = publishing.origin.received
            expectOnce(published, received, media: 4)
            #expect(states.last?.stage == .posted)
            #expect(states.last?.fraction == 1)
            #expect(zip(states, states.dropFirst()).allSatisfy { $0.acknowledged <= $1.acknowledged })
            let status = try #require(received.mastodon.statuses.first)
            #expect(status.text == "Cats & dogs")
            #expect(status.visibility == "unlisted")
            #expect(status.language == "de")
            #expect(status.spoilerText == "Animals" && status.sensitive)
            #expect(status.key != nil)
            let kept = Dictionary(uniqueKeysWithValues: received.mastodon.media.map { ($0.id, $0) })
            let media = published.media.compactMap { kept[$0.id] }
            #expect(media.map(\.description) == (0..<4).map { "Picture \($0)" })
            #expect(media[1].focus == "0.5,-0.25")
            #expect(media[0].length == large.count)
        }
    }

    @Test(arguments: [
        // Another server's version, a server that is busy, and one that says so with a time.
        "no-v2", "503:2@media", "429:20@media", "429:20@statuses", "503:1@statuses", "500:1@instance",
    ])
    func `what passes is waited for`(fault: String) async throws {
        try await publishing { publishing in
            let (result, states) = try await publish(publishing.post(), at: publishing, fault)
            expectOnce(try result.get(), publishing.origin.received, media: 3)
            #expect(states.contains { $0.rateLimitedUntil != nil } == fault.hasPrefix("429"))
        }
    }

    @Test func `a video is waited for until it is processed`() async throws {
        try await publishing { publishing in
            let post = Post("A film", media: [Media(.bytes(video()))])
            let (result, states) = try await publish(post, at: publishing, "202:5")
            let received = publishing.origin.received
            expectOnce(try result.get(), received, media: 1)
            #expect(received.mastodon.media.first?.polls == 6)
            #expect(states.contains { $0.items.first?.stage == .processing })
        }
    }

    @Test func `a video that the server cannot use ends it, and nothing is posted`() async throws {
        try await publishing { publishing in
            let post = Post("A film", media: [Media(.bytes(video()))])
            let (result, _) = try await publish(post, at: publishing, "processing-failed")
            let failed = await code { try result.get() }
            #expect(failed == .processingFailed)
            #expect(publishing.origin.received.mastodon.statuses.isEmpty)
            #expect(publishing.origin.received.mastodon.media.count == 1)
        }
    }

    @Test func `a server that is not ready for the post is asked again`() async throws {
        try await publishing { publishing in
            let (result, _) = try await publish(publishing.post(), at: publishing, "not-ready:3")
            expectOnce(try result.get(), publishing.origin.received, media: 3)
        }
    }

    @Test(arguments: [
        ("lost-answer@statuses", 2), ("lost-answer:2@statuses", 3), ("lost-answer@statuses,no-keys", 1),
    ])
    func `a post whose response was lost exists once`(fault: String, requests: Int) async throws {
        try await publishing { publishing in
            let (result, _) = try await publish(publishing.post(), at: publishing, fault)
            let received = publishing.origin.received
            expectOnce(try result.get(), received, media: 3)
            let posts = received.requests.filter { $0.method == "POST" && $0.path.hasSuffix("/statuses") }
            #expect(posts.count == requests)
        }
    }

    @Test func `a post that was cut on its way is there once`() async throws {
        try await publishing { publishing in
            let (result, _) = try await publish(publishing.post(), at: publishing, "cut:50@statuses")
            expectOnce(try result.get(), publishing.origin.received, media: 3)
        }
    }

    @Test(arguments: [("lost-answer@statuses", 2), ("lost-answer@statuses,no-keys", 1)])
    func `a text whose response was lost exists once, and is sent again only to a server with keys`(
        fault: String,
        sends: Int
    ) async throws {
        try await publishing { publishing in
            let post = Post("Only text & <b> of @ada@example.org: https://example.org/?a=1&b=2")
            let (result, _) = try await publish(post, at: publishing, fault)
            let received = publishing.origin.received
            expectOnce(try result.get(), received, media: 0)
            #expect(received.mastodon.statuses.map(\.sends) == [sends])
        }
    }

    @Test func `where a server keeps no keys, a post is not sent again before it can be there`()
        async throws
    {
        try await publishing { publishing in
            // Each attempt is cut, and so fast that the first one could still be on its way.
            let (result, states) = try await publish(
                publishing.post(),
                at: publishing,
                "cut:50@statuses,no-keys"
            )
            let failed = await code { try result.get() }
            #expect(failed == .outcomeUnknown)
            #expect(states.last?.stage == .unknown)
            let received = publishing.origin.received
            #expect(received.requests.count { $0.method == "POST" && $0.path.hasSuffix("/statuses") } == 1)
            #expect(received.mastodon.statuses.isEmpty)
        }
    }

    @Test(arguments: ["lost-answer@media", "cut:50@media"])
    func `a medium whose response was lost is sent again, and the post has it once`(
        fault: String
    )
        async throws
    {
        try await publishing { publishing in
            let (result, _) = try await publish(publishing.post(pictures: 1), at: publishing, fault)
            let published = try result.get()
            let received = publishing.origin.received
            #expect(received.mastodon.statuses.map(\.mediaIDs) == [published.media.map(\.id)])
            #expect(received.mastodon.media.count == (fault.hasPrefix("cut") ? 1 : 2))
        }
    }

    @Test func `a wrong token is found out before anything is sent`() async throws {
        try await publishing { publishing in
            let (result, states) = try await publish(publishing.post(), at: publishing, token: "hunter2")
            let failed = await code { try result.get() }
            #expect(failed == .unauthorized)
            #expect(!"\(result) \(states)".contains("hunter2"))
            #expect(publishing.origin.received.requests.allSatisfy { $0.method == "GET" })
        }
    }

    @Test func `a token that is refused midway ends it, and nothing is posted`() async throws {
        try await publishing { publishing in
            let (result, _) = try await publish(publishing.post(), at: publishing, "401@media")
            let failed = await code { try result.get() }
            #expect(failed == .unauthorized)
            #expect(publishing.origin.received.mastodon.statuses.isEmpty)
            #expect(publishing.origin.received.requests.count { $0.status == 401 } <= 2)
        }
    }

    @Test func `a file that is refused early is not sent to its end`() async throws {
        try await publishing { publishing in
            let post = Post("A film", media: [Media(.bytes(video(4 << 20)))])
            let (result, _) = try await publish(post, at: publishing, "413@media")
            let failed = await code { try result.get() }
            #expect(failed == .http(status: 413))
            let sent = publishing.origin.received.requests.reduce(0) { $0 + $1.bytes }
            #expect(sent < 2 << 20)
        }
    }

    @Test(arguments: [
        (Post("Five"), 5), (Post(String(repeating: "x", count: 501)), 1),
    ])
    func `media that the server does not accept are not started`(post: Post, pictures: Int) async throws {
        try await publishing { publishing in
            var post = post
            post.media = try publishing.post(pictures: pictures).media
            let (result, _) = try await publish(post, at: publishing)
            let failed = await code { try result.get() }
            #expect(failed == .postRefused)
            #expect(publishing.origin.received.requests.allSatisfy { $0.method == "GET" })
        }
    }

    @Test func `a post that is scheduled too soon is not started`() async throws {
        try await publishing { publishing in
            var post = try publishing.post()
            post.schedule = WallTime.now() + .seconds(200)
            let (result, _) = try await publish(post, at: publishing)
            let failed = await code { try result.get() }
            #expect(failed == .postRefused)
            post.schedule = WallTime.now() + .seconds(400)
            let (later, _) = try await publish(post, at: publishing)
            #expect(try later.get().url == nil)
            #expect(publishing.origin.received.mastodon.statuses.map { $0.scheduledAt != nil } == [true])
        }
    }

    @Test(arguments: ["202:1000000", "202:1000000,no-delete"])
    func `a cancelled publication leaves nothing that the server lets be removed`(
        fault: String
    )
        async throws
    {
        try await publishing { publishing in
            let post = Post("A film", media: [Media(.bytes(video()))])
            let progress = PublishProgress(interval: .zero)
            let destination = try publishing.mastodon(fault)
            let published = Task {
                try await publishing.publisher.publish(post, to: destination, progress: progress)
            }
            for await state in progress where state.items.first?.stage == .processing {
                published.cancel()
                break
            }
            await #expect(throws: CancellationError.self) { try await published.value }
            let received = publishing.origin.received
            #expect(received.mastodon.statuses.isEmpty)
            #expect(received.requests.contains { $0.method == "DELETE" })
            #expect(received.mastodon.media.map(\.deleted) == [!fault.contains("no-delete")])
            let record = try await publishing.record()
            #expect(record?.state == .cancelled)
            #expect(record?.hasLeftovers == false)
        }
    }
}

extension Publishing {
    /// The simulator as a destination, with what goes wrong there.
    func mastodon(_ fault: String? = nil, token: String = "demo") throws -> MastodonDestination {
        MastodonDestination(
            server: try WebURL(origin.publishURL(fault: fault, "")),
            token: Secret(token)
        )
    }
}
