import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// Looking into the caches, and removing what is in them, in memory and in a store.
@Suite(.timeLimit(.minutes(1)))
struct CacheControlTests {
    private static let fresh = DocumentFixture.photo(["Cache-Control": "max-age=3600", "ETag": "\"1\""])

    private static func open(
        _ store: HeldStore = HeldStore(),
        memory: MemoryCacheLimits = MemoryCacheLimits(),
        holding holds: Set<HeldCodec.Hold> = [],
        answering answers: ScriptedResponse = fresh,
        _ configure: (inout PipelineConfiguration) -> Void = { _ in },
        _ body: (PipelineFixture) async throws -> Void
    ) async throws {
        try await PipelineFixture.open(holding: holds) {
            DocumentFixture().configure(&$0, .memory)
            $0.store = store
            $0.stores = [.sources, .renditions]
            $0.memoryCache = memory
            configure(&$0)
        } _: { fixture in
            fixture.origin.answer { _ in answers }
            try await body(fixture)
        }
    }

    /// Expects that the rendition is in the caches, or is not.
    private static func expect(
        _ isCached: Bool,
        _ fixture: PipelineFixture,
        _ request: ImageRequest,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await fixture.start { try await $0.cache.contains(request) }.value
        #expect(found == isCached, sourceLocation: sourceLocation)
    }

    /// Removes something, and expects that it works.
    private static func remove(
        _ fixture: PipelineFixture,
        _ removal: @escaping @Sendable (PipelineCache) async throws -> Void
    ) async {
        #expect(await code(of: fixture.start { try await removal($0.cache) }) == nil)
    }

    // MARK: Looking

    @Test(arguments: [MemoryCacheLimits(), .none])
    func `a look finds what a load has made, without network and without a load`(
        memory: MemoryCacheLimits
    )
        async throws
    {
        try await Self.open(memory: memory) { fixture in
            let request = fixture.request()
            try await Self.expect(false, fixture, request)
            let made = try await fixture.ask(request).value
            let events = fixture.events.values.count
            let found = try await fixture.start { try await $0.cache.rendition(for: request) }.value
            #expect(found?.bytes == made.bytes && found?.cache == .hit && found?.attempts == 0)
            try await Self.expect(false, fixture, fixture.request("photo.jpg", 16))
            try await Self.expect(false, fixture, fixture.request("other.jpg"))
            #expect(fixture.events.values.count == events && fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `a stale rendition counts unless its origin forbids that`() async throws {
        for (control, use) in [("max-age=0", CacheUse.stale), ("no-cache", nil)] {
            let answer = DocumentFixture.photo(["Cache-Control": control, "ETag": "\"1\""])
            try await Self.open(answering: answer) { fixture in
                let request = fixture.request()
                _ = try await fixture.ask(request).value
                let found = try await fixture.start { try await $0.cache.rendition(for: request) }.value
                #expect(found?.cache == use)
                #expect(fixture.origin.statistics.requests == 1)
            }
        }
    }

    @Test func `a request is looked up and removed as the hook changes it`() async throws {
        try await Self.open {
            $0.prepare = { request in
                var request = request
                request.partition = "tenant"
                return request
            }
        } _: { fixture in
            let request = fixture.request()
            _ = try await fixture.ask(request).value
            try await Self.expect(true, fixture, request)
            await Self.remove(fixture) { try await $0.removeSource(of: request) }
            try await Self.expect(false, fixture, request)
        }
    }

    // MARK: Removing

    @Test(arguments: [MemoryCacheLimits(), .none])
    func `a removed rendition is made again of its stored source, and other sizes stay`(
        memory: MemoryCacheLimits
    ) async throws {
        try await Self.open(memory: memory) { fixture in
            let (small, large) = (fixture.request("photo.jpg", 16), fixture.request("photo.jpg", 32))
            for request in [small, large] { _ = try await fixture.ask(request).value }
            await Self.remove(fixture) { try await $0.remove(small) }
            try await Self.expect(false, fixture, small)
            try await Self.expect(true, fixture, large)
            _ = try await fixture.ask(small).value
            try await Self.expect(true, fixture, small)
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test(arguments: [MemoryCacheLimits(), .none])
    func `with its source goes everything made from it, however the request was written`(
        memory: MemoryCacheLimits
    ) async throws {
        let store = HeldStore()
        try await Self.open(store, memory: memory) { fixture in
            var others = [fixture.request("photo.jpg", 16), fixture.request(), fixture.request()]
            others[1].headers = [HeaderField("Cookie", "a=b")]
            others[2].source = .url("http://user:secret@ORIGIN.test:80/photo.jpg")
            var elsewhere = fixture.request()
            elsewhere.partition = "tenant"
            let kept = [elsewhere, fixture.request("photo.jpg2")]
            for request in others + kept { _ = try await fixture.ask(request).value }
            _ = try await fixture.start { [others] in try await $0.bitmap(for: others[0]) }.value
            await Self.remove(fixture) { try await $0.removeSource(of: fixture.request("photo.jpg", 1)) }
            for request in others { try await Self.expect(false, fixture, request) }
            for request in kept { try await Self.expect(true, fixture, request) }
            // Two sources, and a rendition of each.
            #expect(store.stored.count == 4)
            let requests = fixture.origin.statistics.requests
            _ = try await fixture.ask(others[0]).value
            #expect(fixture.origin.statistics.requests == requests + 1)
        }
    }

    @Test func `a source that a request names goes by that name`() async throws {
        try await Self.open { fixture in
            var signed = fixture.request("photo.jpg?signature=1")
            signed.cacheKey = "photo"
            _ = try await fixture.ask(signed).value
            var again = fixture.request("photo.jpg?signature=2")
            await Self.remove(fixture) { [again] in try await $0.removeSource(of: again) }
            again.cacheKey = "photo"
            try await Self.expect(true, fixture, again)
            await Self.remove(fixture) { [again] in try await $0.removeSource(of: again) }
            try await Self.expect(false, fixture, again)
        }
    }

    @Test func `a partition goes as a whole, and the others stay`() async throws {
        let store = HeldStore()
        try await Self.open(store) { fixture in
            let requests = ["a.jpg", "b.jpg"].flatMap { name in
                [nil, "", "tenant"].map { partition in
                    var request = fixture.request(name)
                    request.partition = partition
                    return request
                }
            }
            for removed in [nil, "", "tenant"] {
                for request in requests { _ = try await fixture.ask(request).value }
                await Self.remove(fixture) { try await $0.removeAll(in: removed) }
                for request in requests {
                    try await Self.expect(request.partition != removed, fixture, request)
                }
                #expect(store.stored.count == 8)
            }
            await Self.remove(fixture) { try await $0.removeAll() }
            for request in requests { try await Self.expect(false, fixture, request) }
            #expect(store.stored.isEmpty && fixture.pipeline.memoryCache.count == 0)
        }
    }

    @Test func `that a source does not exist is forgotten too`() async throws {
        let missing = ScriptedResponse.status(404, headers: ["Cache-Control": "max-age=3600"])
        try await Self.open(answering: missing) { fixture in
            let request = fixture.request()
            for _ in 0..<2 { #expect(await code(of: fixture.ask(request)) == "http_404") }
            #expect(fixture.origin.statistics.requests == 1)
            await Self.remove(fixture) { try await $0.removeSource(of: request) }
            #expect(await code(of: fixture.ask(request)) == "http_404")
            #expect(fixture.origin.statistics.requests == 2)
        }
    }

    @Test func `what is still being written is removed too`() async throws {
        let store = HeldStore(holdsWrites: true)
        try await Self.open(store) { fixture in
            let request = fixture.request()
            _ = try await fixture.ask(request).value
            let removal = fixture.start { try await $0.cache.removeSource(of: request) }
            fixture.signal(store.mayWrite)
            #expect(await code(of: removal) == nil)
            #expect(store.stored.isEmpty)
            try await Self.expect(false, fixture, request)
        }
    }

    @Test func `what makes bytes of its own from a source loses them with it`() async throws {
        let store = HeldStore()
        try await Self.open(store) { fixture in
            let request = fixture.request()
            for made in [1, 1, 2] {
                if made == 2 { await Self.remove(fixture) { try await $0.removeSource(of: request) } }
                let derived = try await fixture.start { pipeline in
                    try await pipeline.derived("name", of: request) { _ in [UInt8(made)] }
                }.value
                #expect(derived.bytes == [UInt8(made)])
            }
        }
    }

    // MARK: At the same time

    @Test(arguments: [false, true])
    func `a load that began before a removal is delivered and not cached, and later loads don't join it`(
        isDecoding: Bool
    ) async throws {
        let store = HeldStore()
        try await Self.open(store, holding: isDecoding ? [.begin] : []) { fixture in
            let request = fixture.request()
            let gate = Event()
            let first = isDecoding ? Self.fresh : Self.fresh.after(.until(gate))
            let second = DocumentFixture.photo(
                ["Cache-Control": "max-age=3600", "ETag": "\"2\""],
                DocumentFixture.other
            )
            try fixture.origin.answer(fixture.url("photo.jpg"), with: first, second)
            let old = fixture.ask(request)
            await Self.remove(fixture) { try await $0.removeSource(of: request) }
            let new = fixture.ask(request)
            fixture.signal(gate)
            if isDecoding { fixture.signal(fixture.codec.mayBegin) }
            let size = try await new.value.size
            #expect(size == PixelSize(width: 32, height: 8))
            #expect(await code(of: old) == nil)
            let kept = try await fixture.start { try await $0.cache.rendition(for: request) }.value
            #expect(kept?.size == PixelSize(width: 32, height: 8))
            #expect(fixture.origin.statistics.requests == 2)
        }
        // The store has the new ones alone: a source and its rendition.
        try await Self.open(store) { fixture in
            let kept = try await fixture.ask(fixture.request()).value
            #expect(kept.size == PixelSize(width: 32, height: 8) && store.stored.count == 2)
        }
    }

    @Test func `a load that begins while the store is removing is not cached`() async throws {
        let store = HeldStore()
        try await Self.open(store) { fixture in
            let request = fixture.request()
            _ = try await fixture.ask(request).value
        }
        let slow = HeldStore(like: store, holdsWrites: true)
        try await Self.open(slow, memory: MemoryCacheLimits()) { fixture in
            let request = fixture.request()
            let removal = fixture.start { try await $0.cache.removeSource(of: request) }
            // The store still has it.
            let found = try await fixture.ask(request).value
            #expect(found.cache == .hit)
            fixture.signal(slow.mayWrite)
            #expect(await code(of: removal) == nil)
            try await Self.expect(false, fixture, request)
            #expect(slow.stored.isEmpty)
        }
    }

    @Test func `a cancelled removal ends at once, and is whole when it is repeated`() async throws {
        let store = HeldStore()
        try await Self.open(store) { fixture in _ = try await fixture.ask(fixture.request()).value }
        let slow = HeldStore(like: store, holdsWrites: true)
        try await Self.open(slow) { fixture in
            let request = fixture.request()
            let removal = fixture.start { try await $0.cache.removeSource(of: request) }
            fixture.cancel(removal)
            #expect(await code(of: removal) == "cancelled")
            fixture.signal(slow.mayWrite)
            await Self.remove(fixture) { try await $0.removeSource(of: request) }
            try await Self.expect(false, fixture, request)
        }
    }

    @Test(arguments: [HeldStore(takesEntries: false), HeldStore(fails: true)])
    func `a store that does not remove anything fails the removal`(store: HeldStore) async throws {
        try await Self.open(store) { fixture in
            let request = fixture.request()
            let removals: [@Sendable (PipelineCache) async throws -> Void] = [
                { try await $0.remove(request) }, { try await $0.removeSource(of: request) },
                { try await $0.removeAll(in: nil) },
            ]
            for removal in removals {
                #expect(await code(of: fixture.start { try await removal($0.cache) }) == "storage_failed")
            }
        }
    }
}
