import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

@Suite(.timeLimit(.minutes(1)))
struct CancellationTests {
    @Test func `a load that is cancelled before it begins sends nothing`() async throws {
        try await PipelineFixture.open { fixture in
            let request = fixture.request()
            let load = fixture.create { try await $0.rendition(for: request) }
            fixture.cancel(load)
            #expect(await code(of: load) == "cancelled")
            #expect(fixture.origin.statistics.requests == 0)
        }
    }

    @Test func `cancelling twice does nothing more, cancelling after the end takes nothing back`()
        async throws
    {
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            let cancelled = fixture.ask(fixture.request())
            fixture.cancel(cancelled)
            fixture.cancel(cancelled)
            #expect(await code(of: cancelled) == "cancelled")
            gate.signal()
            let finished = fixture.ask(fixture.request())
            fixture.cancel(finished)
            #expect(await code(of: finished) == nil)
        }
    }

    @Test func `a load that is cancelled while it waits in the request hook sends nothing`()
        async throws
    {
        let gate = Event()
        try await PipelineFixture.open {
            $0.prepare = { request in
                try await gate.wait()
                return request
            }
        } _: { fixture in
            let load = fixture.ask(fixture.request())
            fixture.cancel(load)
            #expect(await code(of: load) == "cancelled")
            fixture.signal(gate)
            #expect(fixture.origin.statistics.requests == 0)
            #expect(fixture.kinds(of: 1) == [.started, .cancelled])
        }
    }

    @Test(arguments: [false, true])
    func `a request hook that ignores the cancellation does not delay it`(
        throwing: Bool
    )
        async throws
    {
        let gate = Latch<Void>()
        try await PipelineFixture.open {
            $0.prepare = { request in
                await gate.waitUncancelled()
                if throwing { throw HeldStore.Broken() }
                return request
            }
        } _: { fixture in
            let load = fixture.ask(fixture.request())
            fixture.cancel(load)
            gate.set(())
            fixture.settle()
            #expect(await code(of: load) == "cancelled")
            #expect(fixture.origin.statistics.requests == 0)
        }
    }

    @Test func `the cancel of a surrounding task cancels the load`() async throws {
        try await PipelineFixture.open { fixture in
            _ = try fixture.hold()
            let request = fixture.request()
            let parent = fixture.start { pipeline in
                try await withThrowingTaskGroup { group in
                    for _ in 0..<3 { group.addTask { try await pipeline.rendition(for: request) } }
                    try await group.waitForAll()
                }
            }
            fixture.cancel(parent)
            #expect(await code(of: parent) == "cancelled")
            #expect(fixture.origin.statistics.cancelled == 1)
        }
    }

    @Test func `the cancel reaches a provider, once nobody wants its bytes any more`() async throws {
        let (gate, seen) = (Event(), Event())
        let provider = ImageProvider(id: "one") {
            try await withTaskCancellationHandler {
                try await gate.wait()
            } onCancel: {
                seen.signal()
            }
            return PipelineFixture.photo
        }
        try await PipelineFixture.open { fixture in
            let loads = [16, 32].map { fixture.ask(ImageRequest(.provided(provider), .fit($0, $0))) }
            fixture.cancel(loads[0])
            #expect(!seen.hasHappened)
            fixture.cancel(loads[1])
            #expect(seen.hasHappened)
            for load in loads { #expect(await code(of: load) == "cancelled") }
        }
    }

    @Test(arguments: [false, true])
    func `what a provider brings late is dropped, and the pipeline waits for it`(
        throwing: Bool
    )
        async throws
    {
        let gate = Latch<Void>()
        let provider = ImageProvider(id: "one") {
            await gate.waitUncancelled()
            if throwing { throw HeldStore.Broken() }
            return PipelineFixture.photo
        }
        try await PipelineFixture.open { fixture in
            let load = fixture.ask(ImageRequest(.provided(provider)))
            fixture.cancel(load)
            #expect(await code(of: load) == "cancelled")
            #expect(fixture.pipeline.snapshot.tasks == 1)
            gate.set(())
            fixture.settle()
            #expect(fixture.codec.decodes.count == 0)
            #expect(fixture.pipeline.memoryCache.count == 0)
            #expect(fixture.kinds(of: 1) == [.started, .cancelled])
        }
    }

    @Test func `a provider's own error after the end of the pipeline is a cancellation for its waiters`()
        async throws
    {
        let (gate, seen) = (Latch<Void>(), Event())
        let provider = ImageProvider(id: "one") {
            await withTaskCancellationHandler {
                await gate.waitUncancelled()
            } onCancel: {
                seen.signal()
            }
            throw HeldStore.Broken()
        }
        let owner = Task {
            try await withImagePipeline { pipeline in
                let load = Task { try await pipeline.rendition(for: ImageRequest(.provided(provider))) }
                while pipeline.snapshot.tasks < 3 { await Task.yield() }
                return load
            }
        }
        try await seen.wait()
        gate.set(())
        let load = try await owner.value
        #expect(await code(of: load) == "cancelled")
    }

    @Test func `a store that returns after the cancellation starts nothing more`() async throws {
        let store = HeldStore(holdsReads: true)
        try await PipelineFixture.open {
            $0.store = store
        } _: { fixture in
            let load = fixture.ask(fixture.request())
            #expect(store.calls.values == [.read])
            fixture.cancel(load)
            #expect(await code(of: load) == "cancelled")
            fixture.signal(store.mayRead)
            #expect(fixture.origin.statistics.requests == 0)
            #expect(fixture.kinds(of: 1) == [.started, .cancelled])
        }
    }

    /// Where a load waits when it is cancelled.
    enum Wait: CaseIterable, Sendable {
        case connection, head, body, pause, memory, core, decode
    }

    @Test(arguments: Wait.allCases)
    func `cancelled wherever it waits, a load ends immediately and leaves nothing`(
        wait: Wait
    )
        async throws
    {
        let holds: [Wait: Set<HeldCodec.Hold>] = [.core: [.begin], .decode: [.end], .memory: [.begin]]
        try await PipelineFixture.open(holding: holds[wait] ?? []) { configuration in
            if wait == .connection { configuration.connections = 1 }
            if wait == .memory { configuration.encodedBytes = ByteCount(1) }
            if wait == .pause { configuration.retries = 1 }
        } _: { fixture in
            let occupant = fixture.url("occupant.jpg")
            let gate = Event()
            switch wait {
            case .connection: try fixture.origin.answer(occupant, with: .never)
            case .head: _ = try fixture.hold()
            case .body:
                let cut = ScriptedResponse.bytes(PipelineFixture.photo).cut(
                    after: ByteCount(100),
                    then: .until(gate)
                )
                try fixture.origin.answer(fixture.url("photo.jpg"), with: cut)
            case .pause:
                try fixture.origin.answer(
                    fixture.url("photo.jpg"),
                    with: .status(503, headers: ["Retry-After": "9"])
                )
            case .memory, .core, .decode: break
            }
            let other = fixture.ask(fixture.request("occupant.jpg"))
            let load = fixture.ask(fixture.request())
            fixture.cancel(load)
            fixture.signal(fixture.codec.mayEnd)
            #expect(await code(of: load) == "cancelled")
            if wait == .connection { fixture.cancel(other) }
            fixture.signal(fixture.codec.mayBegin)
            #expect(await code(of: other) == (wait == .connection ? "cancelled" : nil))
            #expect(fixture.pipeline.snapshot.isQuiet)
            #expect(fixture.clock.sleepers == 0)
        }
    }

    @Test func `a provider may load from the pipeline that asks it, however little memory there is`()
        async throws
    {
        try await PipelineFixture.open {
            $0.encodedBytes = ByteCount(1)
        } _: { fixture in
            let request = fixture.request("inner.jpg")
            let loads = (0..<4).map { index in
                let provider = ImageProvider(id: "\(index)") { [pipeline = fixture.pipeline] in
                    var request = request
                    request.source = .url(fixture.url("\(index).jpg"))
                    return try await pipeline.data(for: request).bytes
                }
                return fixture.ask(ImageRequest(.provided(provider), .fit(16, 16)))
            }
            #expect(fixture.pipeline.snapshot.isQuiet)
            guard fixture.pipeline.snapshot.isQuiet else { return loads.forEach { fixture.cancel($0) } }
            for load in loads { #expect(await code(of: load) == nil) }
        }
    }
}
