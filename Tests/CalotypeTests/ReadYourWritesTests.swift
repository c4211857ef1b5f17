import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

/// What a pipeline has loaded, replaced or removed is what each later load sees, however slow its store is.
@Suite(.timeLimit(.minutes(1)))
struct ReadYourWritesTests {
    /// A picture's age in its shape: the photo is 4 to 3, its successor 4 to 1.
    private static let old = DocumentFixture.photo(["Cache-Control": "max-age=3600", "ETag": "\"1\""])
    private static let new = DocumentFixture.photo(
        ["Cache-Control": "max-age=3600", "ETag": "\"2\""],
        DocumentFixture.other
    )

    private static func isNew(_ load: Task<Rendition, any Error>) async throws -> Bool {
        let size = try await load.value.size
        return size.width == 4 * size.height
    }

    /// A store that has the old source, and what was made of it for `sides`.
    private static func filled(_ contents: StoredContents, sides: [Int]) async throws -> HeldStore {
        let store = HeldStore()
        try await open(store, contents) { fixture in
            try fixture.origin.answer(fixture.url("photo.jpg"), with: old)
            for side in sides { _ = try await fixture.ask(fixture.request("photo.jpg", side)).value }
        }
        return store
    }

    private static func open(
        _ store: HeldStore,
        _ contents: StoredContents,
        memory: MemoryCacheLimits = .none,
        holding holds: Set<HeldCodec.Hold> = [],
        _ body: (PipelineFixture) async throws -> Void
    ) async throws {
        try await PipelineFixture.open(holding: holds) {
            DocumentFixture().configure(&$0, .memory)
            $0.store = store
            $0.stores = contents
            $0.memoryCache = memory
        } _: { fixture in
            try fixture.origin.answer(fixture.url("photo.jpg"), with: new)
            try await body(fixture)
        }
    }

    private static func expectNew(
        _ fixture: PipelineFixture,
        _ name: String = "photo.jpg",
        _ side: Int = 32,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let isNew = try await isNew(fixture.ask(fixture.request(name, side)))
        #expect(isNew, sourceLocation: sourceLocation)
    }

    private static func reload(_ fixture: PipelineFixture, _ side: Int = 32) async throws {
        var request = fixture.request("photo.jpg", side)
        request.cachePolicy = .reload
        #expect(try await isNew(fixture.ask(request)))
    }

    @Test(arguments: [[.sources], [.renditions], [.sources, .renditions]] as [StoredContents], [32, 16])
    func `after a reload every size is made of the new source, though the store is still writing it`(
        contents: StoredContents,
        side: Int
    ) async throws {
        let store = HeldStore(like: try await Self.filled(contents, sides: [32, 16]), holdsWrites: true)
        try await Self.open(store, contents) { fixture in
            try await Self.reload(fixture)
            for _ in 0..<2 {
                try await Self.expectNew(fixture, "photo.jpg", side)
            }
            fixture.signal(store.mayWrite)
            try await Self.expectNew(fixture, "photo.jpg", side)
        }
        try await Self.open(HeldStore(like: store), contents) { fixture in
            try await Self.expectNew(fixture, "photo.jpg", side)
        }
    }

    @Test func `what is still being written is not loaded again`() async throws {
        let store = HeldStore(holdsWrites: true)
        try await Self.open(store, [.sources]) { fixture in
            for side in [32, 16, 32] { _ = try await fixture.ask(fixture.request("photo.jpg", side)).value }
            #expect(fixture.origin.statistics.requests == 1)
            fixture.signal(store.mayWrite)
        }
    }

    @Test func `other sizes that memory has are not served after a reload brought a new version`()
        async throws
    {
        try await Self.open(HeldStore(), [], memory: MemoryCacheLimits()) { fixture in
            try fixture.origin.answer(fixture.url("two.jpg"), with: Self.old, Self.new)
            let other = fixture.request("two.jpg", 16)
            #expect(!(try await Self.isNew(fixture.ask(other))))
            var request = fixture.request("two.jpg", 32)
            request.cachePolicy = .reload
            #expect(try await Self.isNew(fixture.ask(request)))
            #expect(try await Self.isNew(fixture.ask(other)))
            // The other spelling of an address is the same source.
            request.source = .url("http://ORIGIN.test:80/two.jpg")
            request.cachePolicy = .use
            #expect(try await Self.isNew(fixture.ask(request)))
        }
    }

    @Test(arguments: [[.sources], [.renditions], [.sources, .renditions]] as [StoredContents])
    func `a store that another process writes to gives nothing that a reload has replaced`(
        contents: StoredContents
    ) async throws {
        let store = HeldStore(like: try await Self.filled(contents, sides: [32, 16]), takesEntries: false)
        try await Self.open(store, contents) { fixture in
            #expect(!(try await Self.isNew(fixture.ask(fixture.request()))))
            try await Self.reload(fixture)
            for side in [32, 16] {
                try await Self.expectNew(fixture, "photo.jpg", side)
            }
            #expect(store.calls.values.allSatisfy { $0 == .read })
        }
    }

    @Test(arguments: [[.sources], [.renditions], [.sources, .renditions]] as [StoredContents])
    func `where the new picture cannot be written the old one is removed`(
        contents: StoredContents
    ) async throws {
        let store = HeldStore(like: try await Self.filled(contents, sides: [32]), failsReplacing: true)
        try await Self.open(store, contents) { fixture in
            try await Self.reload(fixture)
            try await Self.expectNew(fixture)
        }
        try await Self.open(HeldStore(like: store), contents) { fixture in
            try await Self.expectNew(fixture)
        }
    }

    @Test(arguments: [[.sources], [.renditions], [.sources, .renditions]] as [StoredContents])
    func `a look-up that a reload overtakes brings nothing old back`(contents: StoredContents) async throws {
        let store = HeldStore(like: try await Self.filled(contents, sides: [32, 16]), holdsReads: true)
        try await Self.open(store, contents, memory: MemoryCacheLimits()) { fixture in
            let overtaken = fixture.ask(fixture.request("photo.jpg", 16))
            try await Self.reload(fixture)
            fixture.signal(store.mayRead)
            _ = try await overtaken.value
            for side in [16, 24] {
                try await Self.expectNew(fixture, "photo.jpg", side)
            }
        }
        try await Self.open(HeldStore(like: store), contents) { fixture in
            try await Self.expectNew(fixture, "photo.jpg", 16)
        }
    }

    @Test(arguments: [[], [.sources, .renditions]] as [StoredContents])
    func `a download that a reload overtakes is not shared with later requests, and not stored`(
        contents: StoredContents
    ) async throws {
        let store = HeldStore()
        try await Self.open(store, contents, memory: MemoryCacheLimits()) { fixture in
            let event = Event()
            try fixture.origin.answer(
                fixture.url("late.jpg"),
                with: Self.old.after(.until(event)),
                Self.new
            )
            let first = fixture.ask(fixture.request("late.jpg", 32))
            var request = fixture.request("late.jpg", 32)
            request.cachePolicy = .reload
            #expect(try await Self.isNew(fixture.ask(request)))
            let joined = fixture.ask(fixture.request("late.jpg", 24))
            fixture.signal(event)
            _ = try await first.value
            #expect(try await Self.isNew(joined))
            for side in [32, 24, 16] {
                try await Self.expectNew(fixture, "late.jpg", side)
            }
        }
        try await Self.open(HeldStore(like: store), contents) { fixture in
            try fixture.origin.answer(fixture.url("late.jpg"), with: Self.new)
            try await Self.expectNew(fixture, "late.jpg", 32)
        }
    }

    @Test(arguments: [HeldCodec.Hold.begin, .end])
    func `a decode of the old source is not shared with requests after the reload`(
        hold: HeldCodec.Hold
    ) async throws {
        try await Self.open(HeldStore(), [], memory: MemoryCacheLimits(), holding: [hold]) { fixture in
            try fixture.origin.answer(fixture.url("two.jpg"), with: Self.old, Self.new)
            let first = fixture.ask(fixture.request("two.jpg", 16))
            // The reload is over when its bytes are there; its picture is not decoded.
            var request = fixture.request("two.jpg", 32)
            request.cachePolicy = .reload
            let data = fixture.start { [request] in try await $0.data(for: request) }
            #expect(try await data.value.bytes == DocumentFixture.other)
            let later = fixture.ask(fixture.request("two.jpg", 16))
            fixture.signal(fixture.codec.mayBegin)
            fixture.signal(fixture.codec.mayEnd)
            _ = try await first.value
            #expect(try await Self.isNew(later))
            try await Self.expectNew(fixture, "two.jpg", 16)
        }
    }

    @Test(arguments: [[], [.sources], [.renditions], [.sources, .renditions]] as [StoredContents])
    func `a reload that finds nothing ends what was kept`(contents: StoredContents) async throws {
        let store = HeldStore(like: try await Self.filled(contents, sides: [32, 16]), holdsWrites: true)
        try await Self.open(store, contents, memory: MemoryCacheLimits()) { fixture in
            let isGone = Guarded(false)
            fixture.origin.answer { _ in
                isGone.withLock { $0 } ? .status(404, headers: ["Cache-Control": "max-age=3600"]) : Self.old
            }
            for side in [32, 16] { _ = try await fixture.ask(fixture.request("gone.jpg", side)).value }
            isGone.withLock { $0 = true }
            var request = fixture.request("gone.jpg", 32)
            request.cachePolicy = .reload
            #expect(await code(of: fixture.ask(request)) == "http_404")
            for side in [32, 16] {
                #expect(await code(of: fixture.ask(fixture.request("gone.jpg", side))) == "http_404")
            }
            fixture.signal(store.mayWrite)
            #expect(await code(of: fixture.ask(fixture.request("gone.jpg", 16))) == "http_404")
        }
    }
}
