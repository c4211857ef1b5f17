import Calotype
import CalotypeCore
import CalotypeHTTP
import CalotypeOrigin
import CalotypePlatform
import CalotypeTestKit
import TaskFlow
import Testing

@testable import CalotypePublish

/// Processes that die at a write into the journal, and the run after them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct KilledPublishTests {
    @Test(arguments: [
        "begin", "file", "remember", "uploaded", "sent", "posted",
    ])
    func `killed before and after each write, a resume makes one post of all, each medium once`(
        step: String
    ) async throws {
        for isDone in [false, true] {
            for count in step == "begin" || step == "sent" || step == "posted" ? [1] : [1, 2] {
                try await withPublishing { publishing in
                    let post = try publishing.post("\(step) \(isDone) \(count)", pictures: 2)
                    let folder = publishing.folder
                    let origin = publishing.origin.baseURL
                    await #expect(processExitsWith: .signal(SIGKILL)) {
                        [
                            folder = folder as String, origin = origin as String, step = step as String,
                            isDone = isDone as Bool,
                            count = count as Int, text = post.text as String
                        ] in
                        let death = JournalDeath(step: step, isDone: isDone, count: count)
                        try await KilledPublishTests.publish(text, folder, origin, death)
                    }
                    let destination = try publishing.inbox()
                    // Killed before anything was written down, it was never begun.
                    let isKnown = try await publishing.record() != nil
                    _ = try await publishing.publisher.publish(
                        post,
                        to: destination,
                        isKnown ? .resume : .refuse
                    )
                    let received = publishing.origin.received
                    #expect(received.posts.count == 1)
                    #expect(received.media.count == 2)
                    #expect(received.media.allSatisfy { $0.created == 1 && !$0.deleted })
                    let state = try await publishing.record()?.state
                    #expect(state == .posted)
                }
            }
        }
    }

    /// Publishes what the parent does, in a process that dies on the way.
    static func publish(
        _ text: String,
        _ folder: String,
        _ origin: String,
        _ death: JournalDeath
    ) async throws {
        var configuration = PublisherConfiguration(journal: "\(folder)/journal/publish")
        configuration.onJournal = { death.heed($0) }
        let media = (0..<2).map { Media.file("\(folder)/picture-\($0).png", altText: "Picture \($0)") }
        let target = PlainPost(try WebURL("\(origin)/posts"), settling: .key)
        let destination = PlainDestination(folder: try WebURL("\(origin)/inbox/"), post: target)
        try await withImagePipeline { pipeline in
            try await withPublisher(configuration, pipeline) { publisher in
                _ = try await publisher.publish(Post(text, media: media), to: destination)
            }
        }
    }
}

/// The moment at which a process dies: the `count`th time that a step is written.
final class JournalDeath: Sendable {
    private let step: String
    private let isDone: Bool
    private let left: Guarded<Int>

    init(step: String, isDone: Bool, count: Int) {
        self.step = step
        self.isDone = isDone
        left = Guarded(count)
    }

    func heed(_ moment: JournalMoment) {
        guard moment.step.rawValue == step, moment.isDone == isDone else { return }
        let isNow = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isNow { kill(getpid(), SIGKILL) }
    }
}
