import CalotypeCore
import CalotypeTestKit
import FoundationEssentials
import TaskFlow
import Testing

@testable import CalotypePublish

@Suite(.timeLimit(.minutes(1))) struct AttemptsTests {
    @Test func `all wait for as long as the server requests, and the state shows it`() async throws {
        let clock = ManualClock()
        try await withPublishing {
            $0.clock = clock
        } _: { publishing in
            let limited = Event()
            let destination = ScriptedDestination(
                width: 1,
                onUpload: { medium, _, attempt in
                    guard medium.position == 0, attempt == 1 else { return }
                    limited.signal()
                    throw ScriptedDestination.failure(.wait(.seconds(20)), .http(status: 429))
                }
            )
            let progress = PublishProgress(interval: .zero)
            let post = try publishing.post(pictures: 2)
            async let published = publishing.publisher.publish(post, to: destination, progress: progress)
            try await clock.waitForSleepers(1)
            #expect(limited.hasHappened)
            #expect(progress.current.rateLimitedUntil != nil)
            clock.advance(by: .seconds(19))
            #expect(destination.uploads.count == 1)
            clock.advance(by: .seconds(1))
            _ = try await published
            #expect(progress.current.rateLimitedUntil == nil)
        }
    }

    @Test func `an upload that the server loses is restarted, and reported as rewound`() async throws {
        try await withPublishing { publishing in
            var destination = ScriptedDestination()
            destination.onUpload = { medium, session, attempt in
                session.acknowledge(ByteCount(10))
                guard attempt < 3 else { return }
                throw ScriptedDestination.failure(.startOver, .http(status: 404))
            }
            let progress = PublishProgress(interval: .zero)
            _ = try await publishing.publisher.publish(
                publishing.post(pictures: 1),
                to: destination,
                progress: progress
            )
            #expect(progress.current.items.map(\.rewinds) == [2])
            #expect(progress.current.fraction == 1)
        }
    }

    @Test func `one that it loses again and again fails`() async throws {
        try await withPublishing { publishing in
            var destination = ScriptedDestination()
            destination.onUpload = { _, _, _ in
                throw ScriptedDestination.failure(.startOver, .http(status: 404))
            }
            let post = try publishing.post(pictures: 1)
            let failed = await code { try await publishing.publisher.publish(post, to: destination) }
            #expect(failed == .uploadLost)
            #expect(destination.uploads.count == 3)
        }
    }

    @Test func `a file that changes while it is sent is not published`() async throws {
        try await withPublishing { publishing in
            let path = try publishing.picture(0)
            var destination = ScriptedDestination()
            destination.onUpload = { _, _, _ in
                try Data(TinyPicture.png()).write(to: URL(filePath: path))
            }
            let post = Post("It changes", media: [.file(path)])
            let failed = await code { try await publishing.publisher.publish(post, to: destination) }
            #expect(failed == .sourceChanged)
            #expect(destination.drafts.count == 0)
        }
    }

    @Test(arguments: [0, 60])
    func `a file that changes before its pixels are checked is not called damaged`(cut: Int) async throws {
        try await withPublishing { publishing in
            let path = try publishing.picture(0)
            let plan = try await publishing.publisher.plan(
                Post("It changes", media: [.file(path)]),
                for: ScriptedDestination()
            )
            let other = TinyPicture.png()
            try Data(other.dropLast(cut)).write(to: URL(filePath: path))
            let failed = await code { try await publishing.pipeline.checkPixels(of: plan[0]) }
            #expect(failed == .sourceChanged)
        }
    }

    @Test func `a file that changed before a resume is not published`() async throws {
        try await withPublishing { publishing in
            let path = try publishing.picture(0)
            var destination = ScriptedDestination()
            destination.onUpload = { _, _, _ in throw ScriptedDestination.failure(.none) }
            let post = Post("It changes", media: [.file(path)])
            _ = await code { try await publishing.publisher.publish(post, to: destination) }
            try Data(TinyPicture.png()).write(to: URL(filePath: path))
            let second = ScriptedDestination()
            let failed = await code { try await publishing.publisher.publish(post, to: second, .resume) }
            #expect(failed == .sourceChanged)
            #expect(second.uploads.count == 0)
            // Published anew, it is another publication.
            _ = try await publishing.publisher.publish(post, to: second, .again)
            #expect(second.drafts.count == 1)
        }
    }
}
