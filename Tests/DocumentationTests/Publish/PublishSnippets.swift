import Calotype
import CalotypeHTTP
import CalotypePublish
import CalotypeTestKit
import Dispatch
import FoundationEssentials
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1))) struct PublishSnippets {
    /// Runs `body` with a publisher and a server that takes everything.
    private func withServer(
        _ body: (Publisher, PlainDestination, Post) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await withSamplePipeline { pipeline, transport in
            transport.answer { request in
                // It shows nobody what it has taken.
                if request.method == .head { return .status(403) }
                return ScriptedResponse(status: 201, body: [.bytes(Array(#"{"id": "1"}"#.utf8))])
            }
            let configuration = PublisherConfiguration(journal: folder.path)
            try await withPublisher(configuration, pipeline) { publisher in
                let post = PlainPost(try WebURL("http://a.test/posts"), settling: .key)
                let server = PlainDestination(folder: try WebURL("http://a.test/media/"), post: post)
                let media = [Media(.bytes(TinyPicture.png()), altText: "A dot")]
                try await body(publisher, server, Post("A day out", media: media))
            }
        }
    }

    /// Compiles only: it publishes at a real server.
    private func mastodon(_ token: String) async throws {
        // snippet: Publish.mastodon
        try await withImagePipeline { pipeline in
            try await withPublisher(PublisherConfiguration(journal: "/var/lib/app/publish"), pipeline) {
                publisher in
                let server = MastodonDestination(
                    server: try WebURL("https://example.social"),
                    token: Secret(token)
                )
                let post = Post(
                    "A day out",
                    media: [.file("boats.jpg", altText: "Two boats"), .file("film.mp4")]
                )
                let published = try await publisher.publish(post, to: server)
                print(published.url ?? "published")
            }
        }
        // end
    }

    @Test func `progress`() async throws {
        try await withServer { publisher, server, post in
            // snippet: Publish.progress
            let progress = PublishProgress()
            async let published = publisher.publish(post, to: server, progress: progress)
            for await state in progress {
                print(state.stage, Int(state.fraction * 100), "%")
            }
            print(try await published.id ?? "published")
            // end
            #expect(progress.current.stage == .posted)
        }
    }

    @Test func `a resume`() async throws {
        try await withServer { publisher, server, post in
            _ = try await publisher.publish(post, to: server)
            // snippet: Publish.resume
            let published = try await publisher.publish(post, to: server, .resume)
            // end
            #expect(published.id == "1")
        }
    }

    @Test func `settling`() async throws {
        try await withServer { publisher, server, post in
            // snippet: Publish.settle
            for record in try await publisher.journal.publications() where record.state == .posting {
                _ = try await publisher.settle(record.id, .published(at: nil))
            }
            // end
            _ = try await publisher.publish(post, to: server)
        }
    }

    @Test func `jobs`() async throws {
        try await withServer { publisher, server, post in
            // snippet: Publish.jobs
            try await publisher.withPublication(of: post, to: server) { publication in
                let media = publication.media.map { Job.uploading($0, using: publication) }
                let upload = Job<Void>.group(media, width: 2)
                try await Job<Void>.sequence([upload, .uploading(publication.post, using: publication)]).run()
            }
            // end
            let state = try await publisher.journal.publications().first?.state
            #expect(state == .posted)
        }
    }

    @Test func `a callback`() async throws {
        try await withServer { publisher, server, post in
            // snippet: Publish.callback
            let token = publisher.publish(post, to: server, on: .main) { result in
                print(result)
            }
            token.cancel()
            // end
        }
    }

    @Test func `leftovers`() async throws {
        try await withServer { publisher, server, post in
            // snippet: Publish.leftovers
            let removals = try await publisher.removeLeftovers { record in
                record.destination == server.name ? server : nil
            }
            print(removals.filter { $0.problem != nil }.count, "left")
            // end
            #expect(removals.isEmpty)
        }
    }
}
