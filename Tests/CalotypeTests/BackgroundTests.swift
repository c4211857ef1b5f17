import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// Work that outlives its callers, and the three ways in which a pipeline ends.
@Suite(.timeLimit(.minutes(1)))
struct BackgroundTests {
    private let store = HeldStore(holdsWrites: true)
    private let request = ImageRequest("http://origin.test/photo.jpg", .fit(16, 16))

    private var configuration: PipelineConfiguration {
        var configuration = PipelineConfiguration()
        configuration.exchange = ScriptedTransport(otherwise: .bytes(PipelineFixture.photo))
        configuration.store = store
        return configuration
    }

    @Test func `work in the background runs at background priority and after its caller`() async throws {
        try await PipelineFixture.open { fixture in
            let (gate, priority) = (Event(), Latch<TaskPriority>())
            let caller = fixture.start { pipeline in
                try await pipeline.inBackground(name: "log") {
                    priority.set(Task.currentPriority)
                    do { try await gate.wait() } catch { Issue.record("it was cancelled") }
                }
            }
            #expect(await code(of: caller) == nil)
            #expect(priority.value == .background)
            #expect(fixture.pipeline.snapshot.backgroundTasks == 1)
            fixture.signal(gate)
        }
    }

    @Test func `a cancelled caller starts nothing, and cancels nothing that it had started`() async throws {
        try await PipelineFixture.open { fixture in
            let (gate, done) = (Event(), Event())
            let caller = fixture.create { pipeline in
                try await pipeline.inBackground {
                    do { try await gate.wait() } catch { Issue.record("it was cancelled") }
                    done.signal()
                }
                do { try await Event().wait() } catch {}
                try await pipeline.inBackground { Issue.record("it was started") }
            }
            fixture.settle()
            fixture.cancel(caller)
            #expect(await code(of: caller) == "cancelled")
            fixture.signal(gate)
            #expect(done.hasHappened)
        }
    }

    @Test func `there are at most 256 at a time, and the next one waits`() async throws {
        try await PipelineFixture.open { fixture in
            let (gate, started) = (Event(), Recorder<Int>())
            let callers = (0..<300).map { index in
                fixture.start { pipeline in
                    try await pipeline.inBackground {
                        started.record(index)
                        do { try await gate.wait() } catch { Issue.record("it was cancelled") }
                    }
                }
            }
            #expect(started.count == 256)
            #expect(fixture.pipeline.snapshot.backgroundTasks == 256)
            fixture.cancel(callers[299])
            fixture.signal(gate)
            #expect(await code(of: callers[299]) == "cancelled")
            #expect(started.count == 299)
        }
    }

    @Test func `work in the background may start more of it, however much there is`() async throws {
        try await PipelineFixture.open { fixture in
            let (gate, done) = (Event(), Recorder<Int>())
            for index in 0..<256 {
                let caller = fixture.start { pipeline in
                    try await pipeline.inBackground {
                        do {
                            try await gate.wait()
                            try await pipeline.inBackground { done.record(index) }
                        } catch {
                            Issue.record(error)
                        }
                    }
                }
                #expect(await code(of: caller) == nil)
            }
            fixture.signal(gate)
            #expect(done.count == 256)
        }
    }

    @Test func `the normal end waits for background work`() async throws {
        let (gate, steps) = (Event(), Recorder<String>())
        let owner = Task { [configuration, request] in
            try await withImagePipeline(configuration) { pipeline in
                _ = try await pipeline.rendition(for: request)
                try await pipeline.inBackground {
                    do { try await gate.wait() } catch { Issue.record("it was cancelled") }
                    steps.record("background")
                }
                steps.record("body")
            }
            steps.record("end")
        }
        try await steps.wait(count: 1)
        try await store.calls.wait(count: 2)
        gate.signal()
        try await steps.wait(count: 2)
        store.mayWrite.signal()
        try await owner.value
        #expect(steps.values == ["body", "background", "end"])
        #expect(store.stored.count == 1)
    }

    @Test(arguments: [false, true])
    func `an end by error or cancel cuts the background short, and waits for it`(
        cancelling: Bool
    )
        async throws
    {
        let (gate, seen, ended) = (Latch<Void>(), Event(), Event())
        let ready = Event()
        let owner = Task { [configuration, request] in
            defer { ended.signal() }
            try await withImagePipeline(configuration) { pipeline in
                _ = try await pipeline.rendition(for: request)
                try await pipeline.inBackground {
                    await withTaskCancellationHandler {
                        await gate.waitUncancelled()
                    } onCancel: {
                        seen.signal()
                    }
                }
                ready.signal()
                if cancelling { try await Event().wait() }
                throw HeldStore.Broken()
            }
        }
        try await ready.wait()
        if cancelling { owner.cancel() }
        try await seen.wait()
        try await store.calls.wait(count: 3)
        #expect(!ended.hasHappened)
        gate.set(())
        #expect(await code(of: owner) == (cancelling ? "cancelled" : "Broken()"))
        #expect(store.calls.values == [.read, .write, .cutShort])
        #expect(store.stored.isEmpty)
    }
}
