import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypePublish

/// A person looks at the server, and says what became of a post.
@Suite(.timeLimit(.minutes(1)))
struct SettledPublishTests {
    /// A destination that loses the first answer to the post, and cannot be asked.
    private static func silentDestination() -> ScriptedDestination {
        var destination = ScriptedDestination()
        destination.onPublish = { _, session, attempt in
            if attempt == 1 { throw ScriptedDestination.failure(.settle) }
            if session.mayHaveBeenSent { throw ScriptedDestination.failure(.none, .outcomeUnknown) }
        }
        return destination
    }

    /// Publishes to a server that does not tell what became of the post; its key in the journal.
    private func unknown(
        _ post: Post,
        at destination: any PublishDestination,
        _ publishing: Publishing
    ) async throws -> String {
        let failed = await code { try await publishing.publisher.publish(post, to: destination) }
        #expect(failed == .outcomeUnknown)
        return try #require(try await publishing.record()).id
    }

    @Test func `a post that somebody found at the server is not sent again`() async throws {
        try await withPublishing { publishing in
            let post = try publishing.post(pictures: 2)
            let destination = try publishing.inbox(posts: "lost-answer", settling: .ask)
            let id = try await unknown(post, at: destination, publishing)
            let url = try WebURL("https://example.org/posts/7")
            let record = try await publishing.publisher.settle(
                String(id.prefix(8)),
                .published(at: url)
            )
            #expect(record.state == .posted && !record.hasLeftovers && record.problem == nil)
            #expect(record.result?.url == url.text && record.result?.media.count == 2)
            let again = await code { try await publishing.publisher.publish(post, to: destination) }
            #expect(again == .alreadyPublished)
            let resumed = try await publishing.publisher.publish(post, to: destination, .resume)
            #expect(resumed.url == url.text)
            #expect(publishing.origin.received.posts.count == 1)
        }
    }

    @Test func `a post that somebody did not find is sent by a resume, its media are not`() async throws {
        try await withPublishing { publishing in
            let post = try publishing.post(pictures: 2)
            let destination = Self.silentDestination()
            let id = try await unknown(post, at: destination, publishing)
            let stillOpen = await code {
                try await publishing.publisher.publish(post, to: destination, .resume)
            }
            #expect(stillOpen == .outcomeUnknown)
            let record = try await publishing.publisher.settle(id, .notPublished)
            #expect(record.state == .failed && record.isUnfinished && record.sent == nil)
            let drafts = destination.drafts.count
            let resumed = try await publishing.publisher.publish(post, to: destination, .resume)
            #expect(resumed.id == "p")
            #expect(destination.drafts.count == drafts + 1)
            #expect(destination.uploads.count == 2)
        }
    }

    @Test func `a text that somebody did not find can be published again`() async throws {
        try await withPublishing { publishing in
            let post = try publishing.post(pictures: 0)
            let destination = Self.silentDestination()
            let id = try await unknown(post, at: destination, publishing)
            let record = try await publishing.publisher.settle(id.uppercased(), .notPublished)
            #expect(!record.isUnfinished)
            let published = try await publishing.publisher.publish(post, to: destination)
            #expect(published.id == "p")
        }
    }

    @Test func `what is known, and what is not there, cannot be settled`() async throws {
        try await withPublishing { publishing in
            let publisher = publishing.publisher
            let settle = { (id: String) in await code { try await publisher.settle(id, .notPublished) } }
            #expect(await settle("0") == .invalidRequest)
            let destination = ScriptedDestination()
            _ = try await publisher.publish(publishing.post("one", pictures: 0), to: destination)
            let posted = try #require(try await publishing.record()).id
            #expect(await settle(posted) == .outcomeKnown)
            var refusing = ScriptedDestination()
            refusing.onPublish = { _, _, _ in throw ScriptedDestination.failure(.none) }
            _ = await code {
                try await publisher.publish(publishing.post("two", pictures: 1), to: refusing)
            }
            let failed = try #require(try await publishing.record()).id
            #expect(await settle(failed) == .outcomeKnown)
            #expect(await settle("") == .invalidRequest)
        }
    }

    @Test func `a publication that somebody works on cannot be settled`() async throws {
        try await withPublishing { publishing in
            let found = Guarded<ErrorCode?>(nil)
            var destination = ScriptedDestination()
            destination.onPublish = { _, session, _ in
                let code = await code { try await publishing.publisher.settle(session.key, .notPublished) }
                found.withLock { $0 = code }
            }
            _ = try await publishing.publisher.publish(publishing.post(pictures: 0), to: destination)
            #expect(found.withLock(\.self) == .publishBusy)
        }
    }
}
