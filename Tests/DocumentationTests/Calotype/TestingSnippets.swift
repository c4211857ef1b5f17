import Calotype
import CalotypeTestKit
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct TestingSnippets {
    private func serveOnePage(_ pipeline: ImagePipeline) async throws {
        _ = try await pipeline.rendition(for: ImageRequest(.bytes(TinyPicture.png()), .none, .original))
    }

    @Test func `a script`() async throws {
        // snippet: Testing.script
        let transport = ScriptedTransport()
        try transport.answer("http://photos.test/1.png", with: .status(503), .bytes(TinyPicture.png()))

        var configuration = PipelineConfiguration()
        configuration.exchange = transport
        try await withImagePipeline(configuration) { pipeline in
            let picture = try await pipeline.rendition(for: ImageRequest("http://photos.test/1.png"))
            #expect(picture.attempts == 2)
        }
        #expect(transport.statistics.requests == 2)
        // end
    }

    @Test func `a response that waits`() async throws {
        let url = "http://photos.test/1.png"
        try await withSamplePipeline { pipeline, transport in
            // snippet: Testing.event
            let mayAnswer = Event()
            try transport.answer(url, with: .bytes(TinyPicture.png()).after(.until(mayAnswer)))

            async let first = pipeline.rendition(for: ImageRequest(url))
            try await transport.waitForRequests(1)
            async let second = pipeline.rendition(for: ImageRequest(url))
            mayAnswer.signal()
            _ = try await (first, second)
            #expect(transport.statistics.requests == 1)
            // end
        }
    }

    @Test func `a clock that stands still`() async throws {
        // snippet: Testing.clock
        let clock = ManualClock()
        let transport = ScriptedTransport(clock: clock, otherwise: .never)
        var configuration = PipelineConfiguration()
        configuration.exchange = transport
        configuration.clock = clock
        configuration.retries = 0

        try await withImagePipeline(configuration) { pipeline in
            let task = pipeline.task(for: ImageRequest("http://photos.test/1.png"))
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(10))
            let error = await #expect(throws: CalotypeError.self) { try await task.value }
            #expect(error?.code == .timeoutHeaders)
        }
        // end
    }

    @Test func `nothing is left`() async throws {
        let configuration = PipelineConfiguration()
        // snippet: Testing.quiet
        try await withQuietCheck { quiet in
            try await withImagePipeline(configuration) { pipeline in
                quiet.watch(pipeline)
                try await serveOnePage(pipeline)
            }
        }
        // end
    }

    @Test func `every cancellation`() async throws {
        let request = ImageRequest("http://photos.test/1.png", .none, .original)
        // snippet: Testing.sweep
        try await CancellationSweep().run { context in
            let transport = ScriptedTransport(clock: context.clock, otherwise: .bytes(TinyPicture.png()))
            var configuration = PipelineConfiguration()
            configuration.exchange = transport
            configuration.clock = context.clock
            configuration.executor = context.executor
            try await withImagePipeline(configuration) { pipeline in
                async let other = pipeline.rendition(for: request)
                try await context.victim { try await pipeline.rendition(for: request) }
                _ = try await other
                await context.settle()
                try await QuietCheck.expectQuiet(pipeline, patience: .zero)
            }
        }
        // end
    }
}
