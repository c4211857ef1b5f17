import Dispatch
import TaskFlow
import TaskFlowTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct JobSequenceTests {
    @Test func `jobs run one after another, and outputs come in their order`() async throws {
        let order = Recorder<Int>()
        let outputs = try await Job.sequence(
            (0..<5).map { index in
                Job {
                    order.record(index)
                    await Task.yield()
                    order.record(index)
                    return index
                }
            }
        ).run()
        #expect(outputs == [0, 1, 2, 3, 4])
        #expect(order.values == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    }

    @Test func `it stops at the first error`() async throws {
        let order = Recorder<Int>()
        let sequence = Job.sequence([
            Job { order.record(0) },
            Job { throw Failure(number: 1) },
            Job { order.record(2) },
        ])
        await #expect(throws: Failure(number: 1)) { try await sequence.run() }
        #expect(order.values == [0])
    }

    @Test func `cancelling it cancels the job that runs and starts no more`() async throws {
        let begun = Event()
        let never = Event()
        let sequence = Job.sequence([
            Job {
                begun.signal()
                // A job that takes no notice of the cancellation, but for ending.
                try? await never.wait()
            },
            Job<Void> { Issue.record("it ran") },
        ])
        let run = Task { try await sequence.run() }
        try await begun.wait()
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test func `groups and sequences nest`() async throws {
        let order = Recorder<String>()
        let post = Job { order.record("post") }
        let media = (0..<3).map { _ in Job { order.record("media") } }
        try await Job.sequence([.group(media), post]).run()
        #expect(order.values == ["media", "media", "media", "post"])
    }

    @Test(arguments: [DispatchQueue.global(), DispatchQueue(label: "serial")])
    func `its order does not depend on the queue being serial`(queue: DispatchQueue) async throws {
        let order = Recorder<Int>()
        let steps = (0..<200).map { index in
            Job { controller in
                // Answers from another thread, so that the next step could overtake.
                DispatchQueue.global().async {
                    order.record(index)
                    controller.finish()
                }
            }
        }
        let done = Event()
        Job.sequence(steps).perform(on: queue) { _ in done.signal() }
        try await done.wait()
        #expect(order.values == Array(0..<200))
    }
}
