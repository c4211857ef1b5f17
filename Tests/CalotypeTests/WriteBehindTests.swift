import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// The store behind the memory cache: read before the network, written to in the background.
@Suite(.timeLimit(.minutes(1)))
struct WriteBehindTests {
    /// More than may wait to be written at a time: the photo with 17 MB of tables that nothing refers to.
    private static let large: [UInt8] = {
        let table = [3] + [UInt8](repeating: 1, count: 64)
        let tables = [0xFF, 0xDB, 0xFF, 0xF2] + repeatElement(table, count: 1008).joined()
        var bytes = Array(PipelineFixture.photo.prefix(2))
        for _ in 0..<260 { bytes += tables }
        return bytes + PipelineFixture.photo.dropFirst(2)
    }()

    private static func key(_ request: ImageRequest) -> StoreKey? {
        StoreKey(RenditionKey(request, .encoded(RenditionSpec(request.transform, request.output))))
    }

    @Test func `a picture that the store has comes from there, and into memory`() async throws {
        let store = HeldStore()
        var made: Rendition?
        for pass in 0..<2 {
            try await PipelineFixture.open {
                $0.store = store
            } _: { fixture in
                let rendition = try await fixture.ask(fixture.request()).value
                #expect(fixture.origin.statistics.requests == 1 - pass)
                #expect(rendition.attempts == 1 - pass)
                #expect(fixture.pipeline.memoryCache.count == 1)
                #expect(made == nil || made?.bytes == rendition.bytes)
                made = rendition
            }
        }
        #expect(store.calls.values == [.read, .write, .read])
    }

    @Test func `the response does not wait for the write`() async throws {
        let store = HeldStore(holdsWrites: true)
        try await PipelineFixture.open {
            $0.store = store
        } _: { fixture in
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            #expect(fixture.pipeline.snapshot.backgroundTasks == 1)
            #expect(store.stored.isEmpty)
            fixture.signal(store.mayWrite)
            #expect(store.stored.keys.first == Self.key(fixture.request()))
        }
    }

    @Test(arguments: [
        (CachePolicy.use, [HeldStore.Call.read, .write]), (.reload, [.replace]), (.cacheOnly, [.read]),
        (.noStore, []),
    ])
    func `each policy asks the store for what it may`(
        policy: CachePolicy,
        calls: [HeldStore.Call]
    )
        async throws
    {
        let store = HeldStore()
        try await PipelineFixture.open {
            $0.store = store
        } _: { fixture in
            var request = fixture.request()
            request.cachePolicy = policy
            #expect(await code(of: fixture.ask(request)) == (policy == .cacheOnly ? "not_cached" : nil))
            #expect(store.calls.values == calls)
        }
    }

    @Test func `pixels, files and bytes never reach the store`() async throws {
        let store = HeldStore()
        try await PipelineFixture.open {
            $0.store = store
        } _: { fixture in
            let request = fixture.request()
            #expect(await code(of: fixture.start { try await $0.bitmap(for: request) }) == nil)
            #expect(await code(of: fixture.start { try await $0.data(for: request) }) == nil)
            #expect(await code(of: fixture.ask(ImageRequest(.bytes(PipelineFixture.photo)))) == nil)
            #expect(store.calls.values.isEmpty)
        }
    }

    @Test func `a reload puts the new picture in the place of the old`() async throws {
        let store = HeldStore()
        try await PipelineFixture.open {
            $0.store = store
        } _: { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: .bytes(TinyPicture.jpeg(PixelSize(width: 64, height: 8))),
                .bytes(PipelineFixture.photo)
            )
            var request = fixture.request()
            #expect(await code(of: fixture.ask(request)) == nil)
            request.cachePolicy = .reload
            #expect(await code(of: fixture.ask(request)) == nil)
            let stored = try #require(store.stored.values.first)
            #expect(try RenditionRecord.read(stored).0.size == PixelSize(width: 32, height: 24))
        }
    }

    @Test func `a store that fails fails no load, and the observer is notified`() async throws {
        let store = HeldStore(fails: true)
        try await PipelineFixture.open {
            $0.store = store
        } _: { fixture in
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            #expect(store.calls.values == [.read, .write])
            #expect(fixture.kinds(of: 1).count { $0 == .storeFailed } == 2)
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `a picture for which a slow store has no room is lost to the store, and to nobody else`()
        async throws
    {
        let store = HeldStore(holdsWrites: true)
        try await PipelineFixture.open {
            $0.store = store
        } _: { fixture in
            try fixture.origin.answer(fixture.url("large.jpg"), with: .bytes(Self.large))
            let whole = ImageRequest(fixture.url("large.jpg"), .none, .original)
            #expect(await code(of: fixture.ask(whole)) == nil)
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            #expect(fixture.kinds(of: 2).last == .finished(.own))
            #expect(fixture.kinds(of: 2).contains(.storeFailed))
            fixture.signal(store.mayWrite)
            #expect(Array(store.stored.keys) == [whole].compactMap(Self.key))
        }
    }

    @Test func `tenants and pipelines with other credentials have other names in one store`() async throws {
        let store = HeldStore()
        for token in ["a", "b"] {
            let field = try HeaderField(checking: "Authorization", "Bearer \(token)")
            try await PipelineFixture.open {
                $0.store = store
                $0.headers = [field]
            } _: { fixture in
                #expect(await code(of: fixture.ask(fixture.request())) == nil)
                #expect(fixture.origin.statistics.requests == 1)
            }
        }
        #expect(store.stored.count == 2)
    }
}
