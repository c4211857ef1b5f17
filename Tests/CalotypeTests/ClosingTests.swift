import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// What becomes of a pipeline, and of those who use it, at its end and after it.
@Suite(.timeLimit(.minutes(1)))
struct ClosingTests {
    private let url = "http://origin.test/photo.jpg"
    private let origin = ScriptedTransport(clock: ManualClock(), otherwise: .bytes(PipelineFixture.photo))

    private var configuration: PipelineConfiguration {
        var configuration = PipelineConfiguration()
        configuration.exchange = origin
        return configuration
    }

    private static let uses: [(String, @Sendable (ImagePipeline, ImageRequest) async throws -> Void)] = [
        ("rendition", { _ = try await $0.rendition(for: $1) }),
        ("load", { _ = try await $0.load($1) }),
        ("bitmap", { _ = try await $0.bitmap(for: $1) }),
        ("data", { _ = try await $0.data(for: $1) }),
        ("info", { _ = try await $0.info(of: $1.source) }),
        ("background", { pipeline, _ in try await pipeline.inBackground {} }),
    ]

    @Test func `a pipeline that has ended refuses everything, also what it has in memory`()
        async throws
    {
        let request = ImageRequest(url, .fit(16, 16))
        let kept = try await withImagePipeline(configuration) { pipeline in
            _ = try await pipeline.rendition(for: request)
            _ = try await pipeline.bitmap(for: request)
            return pipeline
        }
        for (name, use) in Self.uses {
            let task = Task { try await use(kept, request) }
            #expect(await code(of: task) == "pipeline_closed", "\(name)")
        }
        var outcomes: [ErrorCode?] = []
        for await outcome in kept.renditions(for: [request]) {
            if case .failure(let error) = outcome.result { outcomes.append(error.code) }
        }
        #expect(outcomes == [.pipelineClosed] || outcomes.isEmpty)
        #expect(kept.memoryCache.count == 0)
        #expect(kept.snapshot.isQuiet)
        #expect(origin.statistics.requests == 2)
    }

    @Test func `loads under way at the end are cancelled and awaited`() async throws {
        try origin.answer(url, with: .never)
        let request = ImageRequest(url)
        let load = try await withImagePipeline(configuration) { [origin] pipeline in
            let load = Task { try await pipeline.rendition(for: request) }
            try await origin.waitForRequests(1)
            return load
        }
        #expect(origin.statistics.open == 0)
        #expect(await code(of: load) == "cancelled")
    }

    @Test func `after an error or cancellation nothing starts, even if the body continues`() async throws {
        let (entered, gate) = (Event(), Latch<Void>())
        let request = ImageRequest(url)
        let owner = Task { [configuration] in
            try await withImagePipeline(configuration) { pipeline in
                entered.signal()
                await gate.waitUncancelled()
                let load = Task { try await pipeline.rendition(for: request) }
                return await code(of: load)
            }
        }
        try await entered.wait()
        owner.cancel()
        gate.set(())
        let result = try await owner.value
        #expect(result == "pipeline_closed")
        #expect(origin.statistics.requests == 0)
    }
}
