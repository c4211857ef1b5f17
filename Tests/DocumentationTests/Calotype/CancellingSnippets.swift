import Calotype
import CalotypeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct CancellingSnippets {
    private let url = "http://photos.test/1.jpg"
    private let request = ImageRequest("http://photos.test/1.jpg", .none, .original)

    @Test func `a task that waits`() async throws {
        try await withSamplePipeline { pipeline, transport in
            try transport.answer(url, with: .never)
            // snippet: Cancelling.task
            let load = Task { try await pipeline.rendition(for: request) }
            load.cancel()
            // end
            await #expect(throws: CancellationError.self) { try await load.value }
        }
    }

    @Test func `a handle`() async throws {
        try await withSamplePipeline { pipeline, transport in
            try transport.answer(url, with: .never)
            // snippet: Cancelling.handle
            let task = pipeline.task(for: request)
            task.cancel()
            assert(task.isCancelled)
            // end
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func `work in the background`() async throws {
        let log = Log()
        try await withSamplePipeline { pipeline, _ in
            // snippet: Cancelling.background
            try await pipeline.inBackground(name: "log") { await log.append("loaded \(url)") }
            // end
        }
        let lines = await log.lines
        #expect(lines == ["loaded http://photos.test/1.jpg"])
    }
}

private actor Log {
    private(set) var lines: [String] = []

    func append(_ line: String) { lines.append(line) }
}
