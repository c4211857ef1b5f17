import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// A pipeline with an owner, from before its start to after its end.
@Suite(.timeLimit(.minutes(1)))
struct PipelineServiceTests {
    private let origin = ScriptedTransport(clock: ManualClock(), otherwise: .bytes(PipelineFixture.photo))
    private let store = HeldStore()
    private let request = ImageRequest("http://origin.test/photo.jpg", .fit(16, 16))

    private func service() -> PipelineService {
        var configuration = PipelineConfiguration()
        configuration.exchange = origin
        configuration.store = store
        return PipelineService(configuration)
    }

    @Test func `it gives its pipeline while it runs, and ends when it is shut down`() async throws {
        let service = service()
        let run = Task { try await service.run() }
        let pipeline = try await service.pipeline
        _ = try await pipeline.rendition(for: request)
        await service.shutdown()
        #expect(pipeline.snapshot.isQuiet)
        #expect(store.stored.count == 1)
        #expect(await code(of: run) == nil)
        let late = Task { try await pipeline.rendition(for: request) }
        #expect(await code(of: late) == "pipeline_closed")
        let after = Task { try await service.pipeline }
        #expect(await code(of: after) == "pipeline_closed")
    }

    @Test func `it can be told to end without waiting`() async throws {
        let service = service()
        let run = Task { try await service.run() }
        let pipeline = try await service.pipeline
        #expect(service.beginShutdown())
        #expect(await code(of: run) == nil)
        #expect(pipeline.snapshot.isQuiet)
        let unused = self.service()
        #expect(!unused.beginShutdown())
        let late = Task { try await unused.run() }
        #expect(await code(of: late) == "pipeline_closed")
    }

    @Test func `callers before the start wait until it runs or they are cancelled`() async throws {
        let service = service()
        let impatient = Task { try await service.pipeline }
        impatient.cancel()
        #expect(await code(of: impatient) == "cancelled")
        let patient = Task { try await service.pipeline.rendition(for: request).size }
        let run = Task { try await service.run() }
        let size = try await patient.value
        #expect(size == PixelSize(width: 16, height: 12))
        await service.shutdown()
        #expect(await code(of: run) == nil)
    }

    @Test func `shut down before it runs, it never runs`() async throws {
        let service = service()
        let waiting = Task { try await service.pipeline }
        await service.shutdown()
        #expect(await code(of: waiting) == "pipeline_closed")
        let run = Task { try await service.run() }
        #expect(await code(of: run) == "pipeline_closed")
        await service.shutdown()
    }

    @Test func `it runs once, and a second run changes nothing for the first`() async throws {
        let service = service()
        let run = Task { try await service.run() }
        let pipeline = try await service.pipeline
        let second = Task { try await service.run() }
        #expect(await code(of: second) == "pipeline_closed")
        _ = try await pipeline.rendition(for: request)
        await service.shutdown()
        #expect(await code(of: run) == nil)
        let third = Task { try await service.run() }
        #expect(await code(of: third) == "pipeline_closed")
    }

    @Test func `a cancelled run cancels its work, and still ends`() async throws {
        try origin.answer("http://origin.test/never.jpg", with: .never)
        let service = service()
        let run = Task { try await service.run() }
        let pipeline = try await service.pipeline
        let load = Task { try await pipeline.rendition(for: ImageRequest("http://origin.test/never.jpg")) }
        try await origin.waitForRequests(1)
        run.cancel()
        #expect(await code(of: run) == "cancelled")
        #expect(await code(of: load) == "cancelled")
        let after = Task { try await service.pipeline }
        #expect(await code(of: after) == "pipeline_closed")
        await service.shutdown()
    }

    @Test func `many may shut it down, and each returns when all is quiet`() async throws {
        let service = service()
        let run = Task { try await service.run() }
        let pipeline = try await service.pipeline
        let gate = Latch<Void>()
        let (started, quiet) = (Event(), Recorder<Bool>())
        try await pipeline.inBackground {
            started.signal()
            await gate.waitUncancelled()
        }
        try await started.wait()
        let callers = (0..<3).map { _ in
            Task {
                await service.shutdown()
                quiet.record(pipeline.snapshot.isQuiet)
            }
        }
        // The pipeline refuses loads from the moment when the first of them has called.
        while !pipeline.hasEnded { await Task.yield() }
        #expect(quiet.count == 0)
        gate.set(())
        for caller in callers { await caller.value }
        #expect(quiet.values == [true, true, true])
        #expect(await code(of: run) == nil)
    }
}
