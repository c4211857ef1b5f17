import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypeOrigin
import CalotypeTestKit
import Dispatch
import TaskFlow
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct PublishTests {
    @Test func `all media go up, then the post, in their order, each once`() async throws {
        try await withPublishing { publishing in
            let progress = PublishProgress(interval: .zero)
            async let told = progress.reduce(into: []) { $0.append($1) }
            let post = try publishing.post(pictures: 5)
            let published = try await publishing.publisher.publish(
                post,
                to: publishing.inbox(),
                progress: progress
            )
            let received = publishing.origin.received
            #expect(received.media.map(\.puts) == [1, 1, 1, 1, 1])
            #expect(received.posts.count == 1)
            #expect(published.id == received.posts.first?.id)
            let names = published.media.map { $0.url?.split(separator: "-").last.map(String.init) ?? "" }
            #expect(names == (0..<5).map { "\($0).png" })
            let states = await told
            #expect(states.last?.stage == .posted)
            #expect(states.last?.fraction == 1)
            #expect(zip(states, states.dropFirst()).allSatisfy { $0.acknowledged <= $1.acknowledged })
        }
    }

    #if DEBUG
    @Test func `no thread of the cooperative pool waits for a file, the journal or a name`() async throws {
        try await withPublishing { publishing in
            let calls = Guarded<[String]>([])
            try await BlockingCalls.$observer.withValue({ call in calls.withLock { $0.append(call) } }) {
                let (post, inbox) = (try publishing.post(pictures: 5), try publishing.inbox())
                _ = try await publishing.publisher.publish(post, to: inbox)
                _ = try await publishing.record()
            }
            #expect(calls.withLock { $0 } == [])
        }
    }
    #endif

    @Test func `an error that nothing helps against cancels the others, and nothing is posted`()
        async throws
    {
        try await withPublishing { publishing in
            let waiting = Event()
            var destination = ScriptedDestination()
            destination.onUpload = { medium, session, _ in
                switch medium.position {
                case 0: return
                case 1:
                    try await waiting.wait()
                    throw ScriptedDestination.failure(.none, .http(status: 422))
                default:
                    waiting.signal()
                    try await session.sleep(for: .seconds(60))
                }
            }
            let post = try publishing.post()
            let failed = await code { try await publishing.publisher.publish(post, to: destination) }
            #expect(failed == .http(status: 422))
            #expect(destination.drafts.count == 0)
            let record = try await publishing.record()
            #expect(record?.state == .failed)
            #expect(record?.items.map(\.uploaded?.id) == ["m0", nil, nil])
        }
    }

    @Test func `a resume sends only what is missing`() async throws {
        try await withPublishing { publishing in
            var destination = ScriptedDestination(width: 1)
            destination.onUpload = { medium, _, _ in
                if medium.position == 2 { throw ScriptedDestination.failure(.none) }
            }
            let post = try publishing.post()
            let publisher = publishing.publisher
            _ = await code { try await publisher.publish(post, to: destination) }
            let refused = await code { try await publisher.publish(post, to: destination) }
            #expect(refused == .publishUnfinished)
            let second = ScriptedDestination()
            let published = try await publisher.publish(post, to: second, .resume)
            #expect(second.uploads.values.map(\.position) == [2])
            #expect(published.media.map(\.id) == ["m0", "m1", "m2"])
        }
    }

    @Test func `a published post is not published again unless requested`() async throws {
        try await withPublishing { publishing in
            let post = try publishing.post(pictures: 1)
            let publisher = publishing.publisher
            let destination = try publishing.inbox()
            let first = try await publisher.publish(post, to: destination)
            let refused = await code { try await publisher.publish(post, to: destination) }
            #expect(refused == .alreadyPublished)
            let resumed = try await publisher.publish(post, to: destination, .resume)
            #expect(resumed == first)
            #expect(publishing.origin.received.posts.count == 1)
            let second = try await publisher.publish(post, to: destination, .again)
            #expect(second.id != first.id)
            #expect(publishing.origin.received.posts.count == 2)
        }
    }

    @Test(arguments: ["lost-answer", "lost-answer:3", "503:2", "500:2"])
    func `a lost response to the post causes no second post`(fault: String) async throws {
        try await withPublishing { publishing in
            let post = try publishing.post(pictures: 1)
            let destination = try publishing.inbox(posts: fault)
            let published = try await publishing.publisher.publish(post, to: destination)
            #expect(publishing.origin.received.posts.map(\.id) == [published.id])
        }
    }

    @Test func `after a lost response, a server without keys is searched`() async throws {
        try await withPublishing { publishing in
            let lookUp = PostSettling.lookUp(template: publishing.origin.publishURL("/posts/by-key/{key}"))
            let target = try WebURL(publishing.origin.publishURL(fault: "lost-answer", "/posts?no-keys=1"))
            let destination = PlainDestination(
                folder: try WebURL(publishing.origin.publishURL("/inbox/")),
                post: PlainPost(target, settling: lookUp)
            )
            let post = try publishing.post(pictures: 1)
            let published = try await publishing.publisher.publish(post, to: destination)
            #expect(publishing.origin.received.posts.map(\.id) == [published.id])
        }
    }

    @Test func `what cannot be found out stays open, and is never guessed`() async throws {
        try await withPublishing { publishing in
            let post = try publishing.post(pictures: 1)
            let progress = PublishProgress(interval: .zero)
            let destination = try publishing.inbox(posts: "lost-answer", settling: .ask)
            let failed = await code {
                try await publishing.publisher.publish(post, to: destination, progress: progress)
            }
            #expect(failed == .outcomeUnknown)
            #expect(progress.current.stage == .unknown)
            let record = try await publishing.record()
            #expect(record?.state == .posting)
            #expect(publishing.origin.received.posts.count == 1)
            #expect(publishing.origin.received.media.map(\.deleted) == [false])
            // Asked by its key the server tells that the post is there.
            let asked = try publishing.inbox(posts: "lost-answer", settling: .key)
            let resumed = try await publishing.publisher.publish(post, to: asked, .resume)
            #expect(publishing.origin.received.posts.map(\.id) == [resumed.id])
        }
    }

    @Test func `a page instead of a response is reported, and leaves the outcome unknown`() async throws {
        try await withPublishing { publishing in
            let server = try ScriptedServer()
            server.on("POST /posts", .status(200, headers: ["Content-Type": "text/html"]))
            let client = PublishClient(HTTPClient(server.transport))
            let post = PlainPost(try server.url.resolving("/posts"))
            let destination = ScriptedDestination(onPublish: { draft, session, _ in
                let asked = PostSession(
                    client: client,
                    key: session.key,
                    mayHaveBeenSent: session.mayHaveBeenSent,
                    firstSent: session.firstSent,
                    remember: { _ in }
                )
                _ = try await post.publish(draft, asked)
            })
            let error = await #expect(throws: CalotypeError.self) {
                try await publishing.publisher.publish(Post("Hello"), to: destination)
            }
            #expect(error?.code == .outcomeUnknown)
            #expect(error?.message.contains("web page") == true)
            #expect(server.lines == ["POST /posts"])
            let state = try await publishing.record()?.state
            #expect(state == .posting)
        }
    }

    @Test func `a post that is refused is not published, and can be resumed`() async throws {
        try await withPublishing { publishing in
            let post = try publishing.post(pictures: 1)
            let destination = try publishing.inbox(posts: "422:1")
            let failed = await code { try await publishing.publisher.publish(post, to: destination) }
            #expect(failed == .http(status: 422))
            let record = try await publishing.record()
            #expect(record?.state == .failed)
            _ = try await publishing.publisher.publish(post, to: destination, .resume)
            #expect(publishing.origin.received.posts.count == 1)
            #expect(publishing.origin.received.media.map(\.puts) == [1])
        }
    }

    @Test func `a text alone is a post, and ends at 100 percent`() async throws {
        try await withPublishing { publishing in
            let progress = PublishProgress(interval: .zero)
            _ = try await publishing.publisher.publish(
                Post("Only words"),
                to: publishing.inbox(),
                progress: progress
            )
            #expect(progress.current.fraction == 1)
            #expect(publishing.origin.received.posts.count == 1)
        }
    }

    @Test func `jobs of the caller's own making publish as well`() async throws {
        try await withPublishing { publishing in
            let destination = ScriptedDestination()
            let post = try publishing.post()
            try await publishing.publisher.withPublication(of: post, to: destination) { publication in
                let early = await code { try await Job.uploading(post, using: publication).run() }
                #expect(early == .mediaMissing)
                let media = publication.media.map { Job.uploading($0, using: publication) }
                try await Job<Void>.sequence([.group(media), .uploading(post, using: publication)]).run()
            }
            #expect(destination.drafts.count == 1)
            #expect(destination.uploads.count == 3)
        }
    }

    @Test func `code without async gets a callback on its queue`() async throws {
        try await withPublishing { publishing in
            let queue = DispatchQueue(label: "callback")
            let answer = Latch<Result<PublishedPost, any Error>>()
            publishing.publisher.publish(try publishing.post(), to: ScriptedDestination(), on: queue) {
                result in
                dispatchPrecondition(condition: .onQueue(queue))
                answer.set(result)
            }
            let published = try await answer.wait().get()
            #expect(published.id == "p")
        }
    }

    @Test(arguments: [Repetition.refuse, .resume])
    func `a post that another process has started is not started again, though the server has nothing yet`(
        repetition: Repetition
    ) async throws {
        try await withPublishing { publishing in
            let (began, go) = (Event(), Event())
            let destination = ScriptedDestination(onPublish: { _, _, _ in
                began.signal()
                try await go.wait()
            })
            let publisher = publishing.publisher
            async let first = publisher.publish(Post("Words"), to: destination)
            try await began.wait()
            let second = await code {
                try await publisher.publish(Post("Words"), to: destination, repetition)
            }
            #expect(second == .publishBusy)
            go.signal()
            _ = try await first
            #expect(destination.drafts.count == 1)
        }
    }

    @Test func `a resume does not continue a publication that a newer one has replaced`() async throws {
        try await withPublishing { publishing in
            let destination = ScriptedDestination(onPublish: { _, _, attempt in
                guard attempt <= PublishRetry().attempts else { return }
                throw ScriptedDestination.failure(.settle)
            })
            let publisher = publishing.publisher
            let post = try publishing.post(pictures: 1)
            let failed = await code { try await publisher.publish(post, to: destination) }
            #expect(failed == .outcomeUnknown)
            let count = destination.drafts.count
            _ = try await publisher.publish(post, to: destination, .again)
            _ = try await publisher.publish(post, to: destination, .resume)
            #expect(destination.drafts.count == count + 1)
        }
    }

    @Test func `what was made for a publication that failed for good is removed`() async throws {
        try await withPublishing { publishing in
            let destination = ScriptedDestination(
                isForgetful: true,
                onUpload: { _, _, _ in
                    throw ScriptedDestination.failure(.none)
                }
            )
            let post = Post("", media: [Media(.bytes(TinyPicture.png()))])
            _ = await code { try await publishing.publisher.publish(post, to: destination) }
            #expect(FolderNames.all(in: "\(publishing.publisher.journal.folder)/files") == [])
        }
    }

    @Test func `a token that is cancelled before the start ends the progress`() async throws {
        try await withPublishing { publishing in
            let progress = PublishProgress(interval: .zero)
            let queue = DispatchQueue(label: "held")
            queue.suspend()
            let token = publishing.publisher.publish(
                try publishing.post(),
                to: ScriptedDestination(),
                progress: progress,
                on: queue
            ) { _ in }
            token.cancel()
            queue.resume()
            let last = await progress.reduce(nil) { $1 }
            #expect(last?.stage == .cancelled)
        }
    }

    @Test func `one post is published by one publisher at a time`() async throws {
        try await withPublishing { publishing in
            let (began, go) = (Event(), Event())
            let destination = ScriptedDestination(onUpload: { _, _, _ in
                began.signal()
                try await go.wait()
            })
            let post = try publishing.post(pictures: 1)
            let publisher = publishing.publisher
            async let first = publisher.publish(post, to: destination)
            try await began.wait()
            let second = await code { try await publisher.publish(post, to: destination, .resume) }
            #expect(second == .publishBusy)
            go.signal()
            _ = try await first
            #expect(destination.drafts.count == 1)
        }
    }
}
