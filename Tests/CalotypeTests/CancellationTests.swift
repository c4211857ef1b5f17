import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

@Suite(.timeLimit(.minutes(1)))
struct CancellationTests {
    @Test func `a load that is cancelled before it begins sends nothing (29)`() async throws {
        try await Studio.open { studio in
            let request = studio.request()
            let load = studio.create { try await $0.rendition(for: request) }
            studio.cancel(load)
            #expect(await code(of: load) == "cancelled")
            #expect(studio.origin.statistics.requests == 0)
        }
    }

    @Test func `cancelling twice does nothing more, cancelling after the end takes nothing back (27)`()
        async throws
    {
        try await Studio.open { studio in
            let gate = try studio.hold()
            let cancelled = studio.ask(studio.request())
            studio.cancel(cancelled)
            studio.cancel(cancelled)
            #expect(await code(of: cancelled) == "cancelled")
            gate.signal()
            let finished = studio.ask(studio.request())
            studio.cancel(finished)
            #expect(await code(of: finished) == nil)
        }
    }

    @Test func `a load that is cancelled while it waits in the request hook sends nothing (30)`()
        async throws
    {
        let gate = Event()
        try await Studio.open {
            $0.prepare = { request in
                try await gate.wait()
                return request
            }
        } _: { studio in
            let load = studio.ask(studio.request())
            studio.cancel(load)
            #expect(await code(of: load) == "cancelled")
            studio.signal(gate)
            #expect(studio.origin.statistics.requests == 0)
            #expect(studio.kinds(of: 1) == [.started, .cancelled])
        }
    }

    @Test(arguments: [false, true])
    func `a request hook that does not heed the cancel changes nothing about it (30)`(
        throwing: Bool
    )
        async throws
    {
        let gate = Latch<Void>()
        try await Studio.open {
            $0.prepare = { request in
                await gate.waitUncancelled()
                if throwing { throw HeldStore.Broken() }
                return request
            }
        } _: { studio in
            let load = studio.ask(studio.request())
            studio.cancel(load)
            gate.set(())
            studio.settle()
            #expect(await code(of: load) == "cancelled")
            #expect(studio.origin.statistics.requests == 0)
        }
    }

    @Test func `the cancel of a surrounding task cancels the load (31)`() async throws {
        try await Studio.open { studio in
            _ = try studio.hold()
            let request = studio.request()
            let parent = studio.start { pipeline in
                try await withThrowingTaskGroup { group in
                    for _ in 0..<3 { group.addTask { try await pipeline.rendition(for: request) } }
                    try await group.waitForAll()
                }
            }
            studio.cancel(parent)
            #expect(await code(of: parent) == "cancelled")
            #expect(studio.origin.statistics.cancelled == 1)
        }
    }

    @Test func `the cancel reaches a provider, once nobody wants its bytes any more (33)`() async throws {
        let (gate, seen) = (Event(), Event())
        let provider = ImageProvider(id: "one") {
            try await withTaskCancellationHandler {
                try await gate.wait()
            } onCancel: {
                seen.signal()
            }
            return Studio.photo
        }
        try await Studio.open { studio in
            let loads = [16, 32].map { studio.ask(ImageRequest(.provided(provider), .fit($0, $0))) }
            studio.cancel(loads[0])
            #expect(!seen.hasHappened)
            studio.cancel(loads[1])
            #expect(seen.hasHappened)
            for load in loads { #expect(await code(of: load) == "cancelled") }
        }
    }

    @Test(arguments: [false, true])
    func `what a provider brings late is dropped, and the pipeline waits for it (34)`(
        throwing: Bool
    )
        async throws
    {
        let gate = Latch<Void>()
        let provider = ImageProvider(id: "one") {
            await gate.waitUncancelled()
            if throwing { throw HeldStore.Broken() }
            return Studio.photo
        }
        try await Studio.open { studio in
            let load = studio.ask(ImageRequest(.provided(provider)))
            studio.cancel(load)
            #expect(await code(of: load) == "cancelled")
            #expect(studio.pipeline.snapshot.tasks == 1)
            gate.set(())
            studio.settle()
            #expect(studio.codec.decodes.count == 0)
            #expect(studio.pipeline.memoryCache.count == 0)
            #expect(studio.kinds(of: 1) == [.started, .cancelled])
        }
    }

    @Test func `a provider's own error after the end of the pipeline is a cancel to those who wait (34)`()
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

    @Test func `a store that answers after the cancel starts nothing more (35, 37)`() async throws {
        let store = HeldStore(holdsReads: true)
        try await Studio.open {
            $0.store = store
        } _: { studio in
            let load = studio.ask(studio.request())
            #expect(store.calls.values == [.read])
            studio.cancel(load)
            #expect(await code(of: load) == "cancelled")
            studio.signal(store.mayRead)
            #expect(studio.origin.statistics.requests == 0)
            #expect(studio.kinds(of: 1) == [.started, .cancelled])
        }
    }

    /// Where a load waits when it is cancelled.
    enum Wait: CaseIterable, Sendable {
        case connection, head, body, pause, memory, core, decode
    }

    @Test(arguments: Wait.allCases)
    func `cancelled wherever it waits, a load ends at once and leaves nothing (8, 39)`(
        wait: Wait
    )
        async throws
    {
        let holds: [Wait: Set<HeldCodec.Hold>] = [.core: [.begin], .decode: [.end], .memory: [.begin]]
        try await Studio.open(holding: holds[wait] ?? []) { configuration in
            if wait == .connection { configuration.connections = 1 }
            if wait == .memory { configuration.encodedBytes = ByteCount(1) }
            if wait == .pause { configuration.retries = 1 }
        } _: { studio in
            let occupant = studio.url("occupant.jpg")
            let gate = Event()
            switch wait {
            case .connection: try studio.origin.answer(occupant, with: .never)
            case .head: _ = try studio.hold()
            case .body:
                let cut = ScriptedAnswer.bytes(Studio.photo).cut(after: ByteCount(100), then: .until(gate))
                try studio.origin.answer(studio.url("photo.jpg"), with: cut)
            case .pause:
                try studio.origin.answer(
                    studio.url("photo.jpg"),
                    with: .status(503, headers: ["Retry-After": "9"])
                )
            case .memory, .core, .decode: break
            }
            let other = studio.ask(studio.request("occupant.jpg"))
            let load = studio.ask(studio.request())
            studio.cancel(load)
            studio.signal(studio.codec.mayEnd)
            #expect(await code(of: load) == "cancelled")
            if wait == .connection { studio.cancel(other) }
            studio.signal(studio.codec.mayBegin)
            #expect(await code(of: other) == (wait == .connection ? "cancelled" : nil))
            #expect(studio.pipeline.snapshot.isQuiet)
            #expect(studio.clock.sleepers == 0)
        }
    }

    @Test func `a provider may load from the pipeline that asks it, however little memory there is`()
        async throws
    {
        try await Studio.open {
            $0.encodedBytes = ByteCount(1)
        } _: { studio in
            let request = studio.request("inner.jpg")
            let loads = (0..<4).map { index in
                let provider = ImageProvider(id: "\(index)") { [pipeline = studio.pipeline] in
                    var request = request
                    request.source = .url(studio.url("\(index).jpg"))
                    return try await pipeline.data(for: request).bytes
                }
                return studio.ask(ImageRequest(.provided(provider), .fit(16, 16)))
            }
            #expect(studio.pipeline.snapshot.isQuiet)
            guard studio.pipeline.snapshot.isQuiet else { return loads.forEach { studio.cancel($0) } }
            for load in loads { #expect(await code(of: load) == nil) }
        }
    }
}
