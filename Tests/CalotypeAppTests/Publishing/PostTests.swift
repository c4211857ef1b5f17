import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypePublish
import CalotypeServer
import CalotypeTestKit
import FoundationEssentials
import TaskFlow
import Testing

@testable import CalotypeApp

/// Posts that are published through the app, to an origin that receives.
@Suite(.timeLimit(.minutes(1)))
struct PostTests {
    @Test func `a post is published with its media, in order`() async throws {
        try await withPublishingFixtures { place in
            try await place.open { fixture in
                let profiles = try await fixture.app.send(.get, "/api/publish/profiles")
                #expect(
                    profiles.text == #"{"profiles":[{"host":"127.0.0.1","kind":"plain","name":"inbox"}]}"#
                )
                let post = try await fixture.publish("A day out", pictures: 2)
                #expect(post.state == "running" && post.profile == "inbox" && post.url == nil)
                #expect(post.media.map(\.alt) == ["Picture 0", "Picture 1"])
                let states = Recorder<PublishingFixture.Post.Progress>()
                _ = try await fixture.progress(of: post) { state in
                    states.record(state)
                    return false
                }
                #expect(states.values.last?.stage == "posted" && states.values.last?.fraction == 1)
                let ended = try await fixture.post(post.id)
                #expect(ended.state == "published" && ended.url?.hasPrefix(place.origin.baseURL) == true)
                #expect(ended.progress?.items.map(\.stage) == ["ready", "ready"])
                #expect(ended.media.allSatisfy { $0.src != nil })
                let received = place.origin.received
                #expect(received.media.map(\.puts) == [1, 1] && received.posts.count == 1)
            }
        }
    }

    @Test func `a post that is given up is removed at the server, and then forgotten`() async throws {
        try await withPublishingFixtures { place in
            try await place.open(faults: ["slow": "stall@1.png"]) { fixture in
                let post = try await fixture.publish(pictures: 2, to: "slow")
                _ = try await fixture.progress(of: post) { $0.items.map(\.stage).contains("ready") }
                let cancelled = try await fixture.app.send(.delete, "/api/publish/posts/\(post.id)")
                let left = try cancelled.json(as: PublishingFixture.Post.self)
                #expect(cancelled.status == 200 && left.state == "cancelled")
                #expect(left.progress?.stage == "cancelled")
                let received = place.origin.received
                #expect(received.posts.isEmpty)
                #expect(received.media.filter { $0.puts > 0 }.map(\.deleted) == [true])
                let forgotten = try await fixture.app.send(.delete, "/api/publish/posts/\(post.id)")
                #expect(forgotten.status == 204)
                let posts = try await fixture.posts()
                #expect(posts.isEmpty)
            }
        }
    }

    @Test func `a post that is forgotten takes its files along, but those that somebody still has`()
        async throws
    {
        try await withPublishingFixtures { place in
            try await place.open(faults: ["slow": "stall"]) { fixture in
                var files: [PublishingFixture.File] = []
                for number in 0..<4 {
                    files.append(try await fixture.file("\(number).png", PublishingFixture.picture(number)))
                }
                // The first is its own, the second another post's, the third in a draft; the fourth is in none.
                let first = PublishingFixture.Order(
                    profile: "slow",
                    media: files.prefix(3).map { .init(file: $0.id) }
                )
                let second = PublishingFixture.Order(media: [.init(file: files[1].id)])
                let post = try await fixture.app.send(.post, "/api/publish/posts", json: first).json(
                    as: PublishingFixture.Post.self
                )
                let other = try await fixture.app.send(.post, "/api/publish/posts", json: second)
                _ = try await fixture.end(of: try other.json(as: PublishingFixture.Post.self))
                let path = "/api/publish/posts/\(post.id)?keep=\(files[2].id),nonsense"
                let cancelled = try await fixture.app.send(.delete, path)
                #expect(cancelled.status == 200)
                let held = try await fixture.files()
                #expect(held.count == 4)
                let forgotten = try await fixture.app.send(.delete, path)
                #expect(forgotten.status == 204)
                let left = try await fixture.files()
                #expect(Set(left.map(\.id)) == Set(files.dropFirst().map(\.id)))
                let names = try FileManager.default.contentsOfDirectory(atPath: "\(place.folder)/files")
                #expect(Set(names) == Set(left.flatMap { [$0.id, "\($0.id).json"] }))
            }
        }
    }

    @Test func `a profile's width says how many media go up at a time`() async throws {
        try await withPublishingFixtures { place in
            try await place.open(
                faults: ["wide": "stall", "narrow": "slow:20000"],
                configure: {
                    $0.profiles["wide"]?.width = 2
                    $0.profiles["narrow"]?.width = 1
                }
            ) { fixture in
                let wide = try await fixture.publish("Wide", pictures: 3, to: "wide")
                _ = try await fixture.progress(of: wide) { $0.uploading == 2 }
                _ = try await fixture.app.send(.delete, "/api/publish/posts/\(wide.id)")
                let most = Guarded(0)
                let narrow = try await fixture.publish("Narrow", pictures: 3, to: "narrow")
                _ = try await fixture.progress(of: narrow) { state in
                    most.withLock { $0 = max($0, state.uploading) }
                    return false
                }
                let ended = try await fixture.post(narrow.id)
                #expect(ended.state == "published")
                #expect(most.withLock(\.self) == 1)
            }
        }
    }

    @Test func `a post that was cut by the server's end is resumed after it, and nothing goes up twice`()
        async throws
    {
        try await withPublishingFixtures { place in
            let id = Guarded("")
            try await place.open(faults: ["inbox": "stall:1@1.png"]) { fixture in
                let post = try await fixture.publish(pictures: 2)
                id.withLock { $0 = post.id }
                _ = try await fixture.progress(of: post) { $0.items.map(\.stage).contains("ready") }
            }
            #expect(place.origin.received.media.map(\.deleted) == [false, false])
            try await place.open(faults: ["inbox": "stall:1@1.png"]) { fixture in
                let post = try await fixture.post(id.withLock(\.self))
                #expect(post.state == "interrupted" && post.progress == nil && post.media.count == 2)
                let resumed = try await fixture.app.send(.post, "/api/publish/posts/\(post.id)/resume")
                #expect(try resumed.json(as: PublishingFixture.Post.self).state == "running")
                let ended = try await fixture.end(of: post)
                #expect(ended.state == "published")
                let received = place.origin.received
                #expect(received.media.map(\.puts) == [1, 1] && received.posts.count == 1)
                let again = try await fixture.app.send(.post, "/api/publish/posts/\(post.id)/resume")
                #expect(again.status == 409 && again.code == "already_published")
            }
        }
    }

    @Test func `a failure is reported, and uploaded media are removed with the post`() async throws {
        try await withPublishingFixtures { place in
            try await place.open(faults: ["broken": "403@1.png"]) { fixture in
                let post = try await fixture.publish(pictures: 2, to: "broken")
                let ended = try await fixture.end(of: post)
                #expect(ended.state == "failed" && ended.problem?.isEmpty == false)
                #expect(ended.progress?.stage == "failed")
                let up = place.origin.received.media.filter { $0.puts > 0 }
                let forgotten = try await fixture.app.send(.delete, "/api/publish/posts/\(post.id)")
                #expect(forgotten.status == 204)
                let left = place.origin.received.media.filter { $0.puts > 0 && !$0.deleted }
                #expect(left.isEmpty || up.isEmpty)
            }
        }
    }

    @Test func `a post whose file is gone is not resumed`() async throws {
        try await withPublishingFixtures { place in
            try await place.open(faults: ["broken": "403@PUT"]) { fixture in
                let post = try await fixture.end(of: try await fixture.publish(pictures: 1, to: "broken"))
                #expect(post.state == "failed")
                let file = try #require(post.media.first?.file)
                let removed = try await fixture.app.send(.delete, "/api/publish/files/\(file)")
                #expect(removed.status == 204)
                let resumed = try await fixture.app.send(.post, "/api/publish/posts/\(post.id)/resume")
                #expect(resumed.status == 409 && resumed.code == "file_missing")
            }
        }
    }

    @Test func `the same post is published once, unless somebody asks for more`() async throws {
        try await withPublishingFixtures { place in
            try await place.open { fixture in
                let first = try await fixture.end(of: try await fixture.publish(pictures: 0))
                #expect(first.state == "published")
                let second = try await fixture.end(of: try await fixture.publish(pictures: 0))
                #expect(second.state == "failed" && second.problem?.contains("published") == true)
                #expect(place.origin.received.posts.count == 1)
                let order = PublishingFixture.Order(again: true)
                let third = try await fixture.app.send(.post, "/api/publish/posts", json: order)
                let ended = try await fixture.end(of: try third.json(as: PublishingFixture.Post.self))
                #expect(ended.state == "published" && place.origin.received.posts.count == 2)
            }
        }
    }

    @Test func `a post has its warning, language and time, also after a restart`() async throws {
        try await withPublishingFixtures { place in
            let moment = "2099-05-01T07:00:00Z"
            try await place.open { fixture in
                var order = PublishingFixture.Order(language: "pt-BR", schedule: "2099-05-01T09:00:00+02:00")
                order.contentWarning = "Boats"
                let post = try await fixture.app.send(.post, "/api/publish/posts", json: order)
                let ended = try await fixture.end(of: try post.json(as: PublishingFixture.Post.self))
                #expect(ended.state == "published" && ended.language == "pt-BR" && ended.schedule == moment)
                let received = place.origin.received.posts.map(\.body)
                #expect(received.map { $0["language"] } == [.text("pt-BR")])
                #expect(received.map { $0["schedule"] } == [.text(moment)])
                #expect(received.map { $0["content_warning"] } == [.text("Boats")])
            }
            try await place.open { fixture in
                let posts = try await fixture.posts()
                #expect(posts.map(\.contentWarning) == ["Boats"])
                #expect(posts.map(\.language) == ["pt-BR"] && posts.map(\.schedule) == [moment])
            }
        }
    }

    @Test func `a picture has its focus, also after a restart`() async throws {
        try await withPublishingFixtures { place in
            try await place.open { fixture in
                let file = try await fixture.file("0.png", PublishingFixture.picture(0))
                var order = PublishingFixture.Order()
                for focus: [Double] in [[0.5], [0, 1.01], [0, 1, 0]] {
                    order.media = [.init(file: file.id, focus: focus)]
                    let refused = try await fixture.app.send(.post, "/api/publish/posts", json: order)
                    #expect(refused.status == 400)
                }
                order.media = [.init(file: file.id, focus: [-0.5, 1])]
                let post = try await fixture.app.send(.post, "/api/publish/posts", json: order)
                let ended = try await fixture.end(of: try post.json(as: PublishingFixture.Post.self))
                #expect(ended.state == "published")
                guard case .list(let media) = place.origin.received.posts.first?.body["media"] else {
                    Issue.record("the post has no media")
                    return
                }
                #expect(media.map { $0["focus"] } == [.list([.number(-0.5), .whole(1)])])
            }
            try await place.open { fixture in
                let posts = try await fixture.posts()
                #expect(posts.map(\.media).map { $0.map(\.focus) } == [[[-0.5, 1]]])
            }
        }
    }

    @Test func `the limits are those of the profile's server`() async throws {
        try await withPublishingFixtures { place in
            let address = DestinationAddress(.mastodon, try WebURL(place.origin.baseURL))
            try await place.open(configure: { app in
                var credentials = PublishCredentials()
                credentials.token = Secret("demo")
                app.profiles["social"] = PublishProfile(address, credentials)
            }) { fixture in
                let social = try await fixture.app.send(.get, "/api/publish/profiles/social/limits").json
                #expect(social["textCharacters"] == .number(500) && social["media"] == .number(4))
                #expect(social["focusPoints"] == .truth(true))
                let inbox = try await fixture.app.send(.get, "/api/publish/profiles/inbox/limits").json
                #expect(inbox["textCharacters"] == .null && inbox["types"] == .null)
                let none = try await fixture.app.send(.get, "/api/publish/profiles/none/limits")
                #expect(none.status == 404 && none.code == "not_found")
            }
        }
    }

    @Test func `a file that is being published cannot be removed`() async throws {
        try await withPublishingFixtures { place in
            try await place.open(faults: ["slow": "stall"]) { fixture in
                let post = try await fixture.publish(pictures: 1, to: "slow")
                let file = try #require(post.media.first?.file)
                let refused = try await fixture.app.send(.delete, "/api/publish/files/\(file)")
                #expect(refused.status == 409 && refused.code == "file_in_use")
                _ = try await fixture.app.send(.delete, "/api/publish/posts/\(post.id)")
                let removed = try await fixture.app.send(.delete, "/api/publish/files/\(file)")
                #expect(removed.status == 204)
                let left = try await fixture.post(post.id)
                #expect(left.media.map(\.src) == [nil] && left.media.map(\.name) == ["0.png"])
            }
        }
    }

    @Test(arguments: [
        (PublishingFixture.Order(profile: "other"), 400, "invalid_request"),
        (PublishingFixture.Order(text: " \n"), 400, "invalid_request"),
        (PublishingFixture.Order(visibility: "nobody"), 400, "invalid_request"),
        (PublishingFixture.Order(language: "a language"), 400, "invalid_request"),
        (PublishingFixture.Order(schedule: "tomorrow"), 400, "invalid_request"),
        (PublishingFixture.Order(media: [.init(file: "../../etc/passwd")]), 409, "file_missing"),
    ])
    func `an invalid order is refused`(
        order: PublishingFixture.Order,
        status: Int,
        code: String
    ) async throws {
        try await withPublishingFixtures { place in
            try await place.open { fixture in
                let answer = try await fixture.app.send(.post, "/api/publish/posts", json: order)
                #expect(answer.status == status && answer.code == code)
                let posts = try await fixture.posts()
                #expect(posts.isEmpty)
            }
        }
    }

    @Test func `without profiles nothing is published, and the server says how to change that`() async throws
    {
        try await LiveApp.open { app in
            let profiles = try await app.send(.get, "/api/publish/profiles")
            #expect(profiles.text == #"{"profiles":[]}"#)
            for path in ["files", "posts", "posts/a", "posts/a/events"] {
                let answer = try await app.send(.get, "/api/publish/\(path)")
                #expect(answer.status == 404 && answer.code == "publishing_off")
            }
        }
    }

    @Test func `streams of progress end when the server drains`() async throws {
        try await withPublishingFixtures { place in
            try await place.open(faults: ["slow": "stall"]) { fixture in
                let post = try await fixture.publish(pictures: 1, to: "slow")
                try await fixture.app.withEvents(.get, "/api/publish/posts/\(post.id)/events") { events in
                    _ = try await events.next()
                    let start = ContinuousClock.now
                    async let drained: Void = fixture.app.server.drain()
                    while try await events.next() != nil {}
                    await drained
                    #expect(start.duration(to: .now) < .seconds(10))
                }
            }
        }
    }
}

extension PublishingFixture.Post.Progress {
    fileprivate var uploading: Int { items.count { $0.stage == "uploading" } }
}
