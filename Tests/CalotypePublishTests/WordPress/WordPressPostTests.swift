import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct WordPressPostTests {
    private let create = "POST wp/v2/posts"
    private let flip = "POST wp/v2/posts/*"
    private let slug = "p-5d0c4b8e-0001-4000-8000-000000000000"

    /// A draft of two pictures that are at the site, uploaded in the other order.
    private func draft(
        _ site: ScriptedSite,
        _ folder: String,
        _ change: (inout Post) -> Void = { _ in }
    ) async throws
        -> PostDraft
    {
        var media: [PostDraft.Medium] = []
        for position in [1, 0] {
            let medium = try sampleMedium(10, in: folder, position: position, altText: "Picture \(position)")
            let session = SessionLog(site.client).upload(
                key: "\(position)d0c4b8e-0001-4000-8000-000000000000-0"
            )
            media.append(.init(medium, try await site.destination.upload(medium, session)))
        }
        var post = Post("Hello")
        change(&post)
        return PostDraft(post, media: media.reversed())
    }

    @Test func `a draft gets its media in their order, and is published last`() async throws {
        let site = try ScriptedSite()
        try await withScratchFolder { folder in
            let draft = try await draft(site, folder)
            let before = site.calls.count
            let log = SessionLog(site.client)
            let published = try await site.destination.publish(draft, log.post())
            let entry = try #require(site.contents.posts.first)
            #expect(
                Array(site.calls.dropFirst(before)) == [
                    create, "POST wp/v2/media/*", "POST wp/v2/media/*", "GET wp/v2/media", flip,
                ]
            )
            #expect(entry.slug == slug)
            #expect(entry.status == "publish")
            #expect("\(entry.featured_media)" == draft.media[0].uploaded.id)
            #expect(site.contents.media.allSatisfy { $0.post == entry.id })
            let media = draft.media.map(\.uploaded)
            #expect(published == PublishedPost(id: "\(entry.id)", url: entry.link, media: media))
            let places = media.compactMap { entry.content.firstRange(of: "wp-image-\($0.id)")?.lowerBound }
            #expect(places.count == 2 && places == places.sorted())
        }
    }

    @Test(
        "there is one post, whichever answers are lost (P04)",
        arguments: [
            "POST wp/v2/posts", "POST wp/v2/media/*", "POST wp/v2/posts/*", "GET wp/v2/posts",
            "GET wp/v2/posts/*",
        ]
    )
    func once(_ call: String) async throws {
        let site = try ScriptedSite()
        try await withScratchFolder { folder in
            let draft = try await draft(site, folder)
            let log = SessionLog(site.client)
            for name in [create, flip] { site.fail(name, .lostAnswer) }
            site.fail(call, .lostAnswer, .lostAnswer)
            let published = try await attempting { isFirst in
                try await site.destination.publish(draft, log.post(mayHaveBeenSent: !isFirst))
            }
            #expect(site.contents.posts.map { "\($0.id)" } == [published.id])
            #expect(site.contents.posts.first?.status == "publish")
            #expect(site.count(create) == 1)
        }
    }

    @Test func `a post whose publishing was lost is found published, and not sent again`() async throws {
        let site = try ScriptedSite()
        try await withScratchFolder { folder in
            let draft = try await draft(site, folder)
            let log = SessionLog(site.client)
            site.fail(flip, .lostAnswer)
            await #expect(throws: CalotypeError.self) {
                try await site.destination.publish(draft, log.post())
            }
            let published = try await site.destination.publish(draft, log.post(mayHaveBeenSent: true))
            #expect(published.url == "https://blog.test/2026/\(slug)/")
            #expect(site.count(flip) == 1)
        }
    }

    @Test func `a post is found by its name where all else was forgotten`() async throws {
        let site = try ScriptedSite()
        try await withScratchFolder { folder in
            let draft = try await draft(site, folder)
            _ = try await site.destination.publish(draft, SessionLog(site.client).post())
            _ = try await site.destination.publish(draft, SessionLog(site.client).post(mayHaveBeenSent: true))
            #expect(site.contents.posts.count == 1)
        }
    }

    @Test(arguments: [true, false])
    func `of a draft that arrives after it was given up, the second copy is removed`(
        isSeen: Bool
    ) async throws {
        let site = try ScriptedSite()
        try await withScratchFolder { folder in
            let draft = try await draft(site, folder)
            let log = SessionLog(site.client)
            site.fail(create, .lostRequest(later: true))
            if !isSeen { site.fail(create, .lostAnswer) }
            let published = try await attempting { isFirst in
                try await site.destination.publish(draft, log.post(mayHaveBeenSent: !isFirst))
            }
            #expect(site.count(create) == 2)
            #expect(site.contents.posts.map { "\($0.id)" } == [published.id])
            #expect(site.contents.posts.map(\.slug) == [slug])
        }
    }

    @Test func `a second copy of a medium that arrived late is removed before the post is seen`()
        async throws
    {
        let site = try ScriptedSite()
        try await withScratchFolder { folder in
            let draft = try await draft(site, folder)
            let log = SessionLog(site.client)
            site.change { contents in
                for slug in ["\(contents.media[0].slug)-2", "photo-2"] {
                    contents.media.append(
                        .init(
                            id: slug.count,
                            slug: slug,
                            source_url: "",
                            length: 10,
                            disposition: "",
                            title: ""
                        )
                    )
                }
            }
            _ = try await site.destination.publish(draft, log.post())
            #expect(site.contents.media.count == 3)
            #expect(site.contents.media.last?.slug == "photo-2")
        }
    }

    @Test func `a draft that somebody removed is created again`() async throws {
        let site = try ScriptedSite()
        try await withScratchFolder { folder in
            let draft = try await draft(site, folder)
            let log = SessionLog(site.client)
            site.fail(flip, .lostRequest())
            await #expect(throws: CalotypeError.self) {
                try await site.destination.publish(draft, log.post())
            }
            site.change { $0.posts = [] }
            let published = try await site.destination.publish(draft, log.post(mayHaveBeenSent: true))
            #expect(site.contents.posts.map { "\($0.id)" } == [published.id])
        }
    }

    @Test(
        "who may see a post, and when, becomes a status",
        arguments: [
            (Post.Visibility?.none, Int?.none, "publish"), (.everyone, nil, "publish"),
            (.unlisted, nil, "publish"),
            (.followers, nil, "private"), (.everyone, 1_900_000_000, "future"),
        ]
    )
    func status(_ visibility: Post.Visibility?, _ schedule: Int?, _ status: String) async throws {
        let site = try ScriptedSite()
        try await withScratchFolder { folder in
            let draft = try await draft(site, folder) { post in
                post.visibility = visibility
                post.schedule = schedule.map { WallTime(secondsSince1970: $0) }
            }
            _ = try await site.destination.publish(draft, SessionLog(site.client).post())
            #expect(site.contents.posts.map(\.status) == [status])
            #expect(site.contents.posts.map(\.date_gmt) == [schedule.map { _ in "2030-03-17T17:46:40Z" }])
        }
    }

    @Test(arguments: [(Post.Visibility.direct, Int?.none), (.followers, 1_900_000_000)])
    func `what WordPress has no word for is refused before anything is sent`(
        visibility: Post.Visibility,
        schedule: Int?
    ) async throws {
        let site = try ScriptedSite()
        var post = Post("Hello")
        post.visibility = visibility
        post.schedule = schedule.map { WallTime(secondsSince1970: $0) }
        let draft = PostDraft(post, media: [])
        let failure = await #expect(throws: PublishError.self) {
            try await site.destination.publish(draft, SessionLog(site.client).post())
        }
        #expect(failure?.error.code == .postRefused)
        #expect(failure?.remedy == PublishError.Remedy.none)
        #expect(site.transport.requests.isEmpty)
    }

    @Test(arguments: [
        ScriptedResponse.status(500), .status(503), .json("<html>"), .json("{}"),
        .redirect(to: "https://www.blog.test/", status: 301), .redirect(to: "/moved", status: 302),
        .redirect(to: "/moved", status: 307), .redirect(to: "https://www.blog.test/", status: 307),
    ])
    func `a server that fails while it publishes leaves the outcome to be found out`(
        answer: ScriptedResponse
    ) async throws {
        let site = try ScriptedSite()
        let draft = PostDraft(Post("Hello"), media: [])
        site.fail(flip, .refused(answer))
        let failure = await #expect(throws: PublishError.self) {
            try await site.destination.publish(draft, SessionLog(site.client).post())
        }
        #expect(failure?.remedy == .settle)
    }

    @Test func `what fails before the post can be seen leaves no doubt`() async throws {
        let site = try ScriptedSite()
        let draft = PostDraft(Post("Hello"), media: [])
        let log = SessionLog(site.client)
        site.fail(create, .lostAnswer)
        let lost = await publishFailure { try await site.destination.publish(draft, log.post()) }
        #expect(lost?.remedy == .retry)
        let confirmed = Recorder<Int>()
        for _ in 1...2 {
            let session = PostSession(
                client: site.client,
                key: log.post().key,
                mayHaveBeenSent: true,
                state: log.state,
                remember: { log.states.record($0) },
                confirmNotPublished: { confirmed.record(1) }
            )
            _ = try await site.destination.publish(draft, session)
        }
        // Not the second time, when the post was there.
        #expect(confirmed.count == 1)
    }

    @Test func `a post that waits for an editor is not published`() async throws {
        let site = try ScriptedSite()
        let draft = PostDraft(Post("Hello"), media: [])
        site.fail(
            flip,
            .refused(SiteContents.answer(#"{"id": 11, "slug": "p", "status": "pending", "link": ""}"#))
        )
        let failure = await #expect(throws: PublishError.self) {
            try await site.destination.publish(draft, SessionLog(site.client).post())
        }
        #expect(failure?.error.code == .notAllowed)
    }

    @Test func `a draft is discarded, a published post is not`() async throws {
        let site = try ScriptedSite()
        let draft = PostDraft(Post("Hello"), media: [])
        for fault in [ScriptedSite.Fault.lostRequest(), .lostAnswer] {
            let log = SessionLog(site.client)
            site.fail(flip, fault)
            _ = try? await site.destination.publish(draft, log.post())
            try await site.destination.discardDraft(log.state, site.client)
        }
        #expect(site.contents.posts.map(\.status) == ["publish"])
        #expect(site.count("DELETE wp/v2/posts/*") == 1)
        let log = SessionLog(site.client)
        site.change { $0.posts = [] }
        site.fail(create, .lostAnswer)
        _ = try? await site.destination.publish(draft, log.post())
        #expect(site.contents.posts.count == 1)
        try await site.destination.discardDraft(log.state, site.client)
        try await site.destination.discardDraft(.none, site.client)
        #expect(site.contents.posts.isEmpty)
    }
}
