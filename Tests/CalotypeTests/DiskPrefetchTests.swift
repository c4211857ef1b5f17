import CalotypeCore
import CalotypeTestKit
import Testing

@testable import Calotype

/// Prefetching to the disk only.
@Suite(.timeLimit(.minutes(1)))
struct DiskPrefetchTests {
    private let documents = DocumentFixture()
    private let ended = Recorder<PrefetchSummary>()

    private func open(
        _ contents: StoredContents = .sources,
        _ configure: (inout PipelineConfiguration) -> Void = { _ in },
        _ body: (PipelineFixture) async throws -> Void
    ) async throws {
        try await PipelineFixture.open {
            documents.configure(&$0)
            $0.memoryCache = .init()
            $0.stores = contents
            configure(&$0)
        } _: {
            try await body($0)
        }
    }

    /// Prefetches the requests up to where they wait for the test; whoever lets go of the prefetcher ends it.
    private func start(_ requests: [ImageRequest], _ fixture: PipelineFixture) -> Prefetcher {
        let prefetcher = Prefetcher(toDisk: fixture.pipeline)
        prefetcher.start(requests) { [ended] in ended.record($0) }
        fixture.settle()
        return prefetcher
    }

    /// Prefetches requests that wait for nothing, and tells what became of them.
    private func prefetch(_ requests: [ImageRequest], _ fixture: PipelineFixture) -> PrefetchSummary? {
        let prefetcher = start(requests, fixture)
        #expect(prefetcher.loadCount == 0)
        return ended.values.last
    }

    @Test func `to the disk sources are stored, and nothing is decoded`() async throws {
        try await open { fixture in
            let requests = (0..<9).map { fixture.request("\($0).jpg", 16) }
            let summary = prefetch(requests, fixture)
            #expect(summary?.loaded == 9 && summary?.total == 9)
            #expect(documents.store.stored.count == 9)
            #expect(documents.store.stored.values.allSatisfy { $0.bytes == PipelineFixture.photo })
            #expect(fixture.codec.decodes.count == 0)
            #expect(fixture.pipeline.memoryCache.count == 0)
            #expect(fixture.origin.statistics.requests == 9)
            for side in [8, 32] {
                let rendition = try await fixture.ask(fixture.request("3.jpg", side)).value
                #expect(rendition.cache == .hit)
            }
            #expect(fixture.origin.statistics.requests == 9)
        }
    }

    @Test func `fresh stored entries are skipped, stale ones are requested`() async throws {
        try await open { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": "max-age=60", "ETag": "\"1\""]),
                .status(304, headers: ["Cache-Control": "max-age=60"])
            )
            // Sizes make no difference: there is one source.
            for side in [8, 16, 32] {
                #expect(prefetch([fixture.request("photo.jpg", side)], fixture)?.loaded == 1)
            }
            #expect(fixture.origin.statistics.requests == 1)
            documents.advance(by: .seconds(60))
            #expect(prefetch([fixture.request()], fixture)?.loaded == 1)
            #expect(fixture.origin.statistics.requests == 2)
            #expect(fixture.lastField("If-None-Match") == "\"1\"")
            #expect(prefetch([fixture.request()], fixture)?.loaded == 1)
            #expect(fixture.origin.statistics.requests == 2)
            #expect(fixture.codec.decodes.count == 0)
        }
    }

    @Test func `what cannot be stored counts as failed`() async throws {
        try await open { fixture in
            try fixture.origin.answer(
                fixture.url("secret.jpg"),
                with: DocumentFixture.photo(["Cache-Control": "no-store"])
            )
            try fixture.origin.answer(fixture.url("gone.jpg"), with: .status(404))
            var unstored = fixture.request("a.jpg")
            unstored.cachePolicy = .noStore
            let requests = [
                fixture.request("secret.jpg"), fixture.request("gone.jpg"), unstored,
                ImageRequest(.bytes(PipelineFixture.photo)), fixture.request("fine.jpg"),
            ]
            let summary = prefetch(requests, fixture)
            #expect(summary?.failed == 4 && summary?.loaded == 1)
            let load = fixture.start { try await $0.storeSource(of: fixture.request("secret.jpg")) }
            #expect(await code(of: load) == "storage_failed")
        }
        for contents in [[], .renditions] as [StoredContents] {
            try await open(contents) { fixture in
                #expect(prefetch([fixture.request()], fixture)?.failed == 1)
                #expect(fixture.origin.statistics.requests == 0)
            }
        }
    }

    @Test func `a request for a picture that is being prefetched shares its download`() async throws {
        try await open { fixture in
            let gate = try fixture.hold()
            let prefetcher = start([fixture.request()], fixture)
            #expect(prefetcher.loadCount == 1)
            let load = fixture.ask(fixture.request())
            fixture.signal(gate)
            #expect(await code(of: load) == nil)
            #expect(ended.values.map(\.loaded) == [1])
            #expect(fixture.origin.statistics.requests == 1)
            // To let go of it would stop it.
            withExtendedLifetime(prefetcher) {}
        }
    }

    @Test func `let go of, it cancels what is under way`() async throws {
        try await open { fixture in
            let gate = try fixture.hold()
            var prefetcher: Prefetcher? = start([fixture.request()], fixture)
            #expect(prefetcher?.loadCount == 1)
            prefetcher = nil
            fixture.settle()
            #expect(ended.values.map(\.stopped) == [1])
            fixture.signal(gate)
            #expect(documents.store.stored.isEmpty)
        }
    }

    @Test func `it waits for a store that is slow, and loses nothing`() async throws {
        let slow = HeldStore(holdsWrites: true)
        let photo = TinyPicture.jpeg(PixelSize(width: 64, height: 48)) + Array(repeating: 0, count: 3 << 20)
        try await open(.sources) {
            $0.store = slow
        } _: { fixture in
            for number in 0..<12 {
                try fixture.origin.answer(fixture.url("\(number).jpg"), with: .bytes(photo))
            }
            let requests = (0..<12).map { fixture.request("\($0).jpg") }
            let prefetcher = start(requests, fixture)
            #expect(prefetcher.waitingCount > 0)
            #expect(fixture.origin.statistics.requests < 12)
            fixture.signal(slow.mayWrite)
            #expect(ended.values.map(\.loaded) == [12])
            #expect(slow.stored.count == 12)
            withExtendedLifetime(prefetcher) {}
        }
    }
}
