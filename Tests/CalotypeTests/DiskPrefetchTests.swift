import CalotypeCore
import CalotypeTestKit
import Testing

@testable import Calotype

/// Prefetching to the disk only.
@Suite(.timeLimit(.minutes(1)))
struct DiskPrefetchTests {
    private let gazette = Gazette()
    private let ended = Recorder<PrefetchSummary>()

    private func open(
        _ contents: StoredContents = .sources,
        _ configure: (inout PipelineConfiguration) -> Void = { _ in },
        _ body: (Studio) async throws -> Void
    ) async throws {
        try await Studio.open {
            gazette.configure(&$0)
            $0.memoryCache = .init()
            $0.stores = contents
            configure(&$0)
        } _: {
            try await body($0)
        }
    }

    /// Prefetches the requests up to where they wait for the test; whoever lets go of the prefetcher ends it.
    private func start(_ requests: [ImageRequest], _ studio: Studio) -> Prefetcher {
        let prefetcher = Prefetcher(toDisk: studio.pipeline)
        prefetcher.start(requests) { [ended] in ended.record($0) }
        studio.settle()
        return prefetcher
    }

    /// Prefetches requests that wait for nothing, and tells what became of them.
    private func prefetch(_ requests: [ImageRequest], _ studio: Studio) -> PrefetchSummary? {
        let prefetcher = start(requests, studio)
        #expect(prefetcher.loadCount == 0)
        return ended.values.last
    }

    @Test func `100: to the disk sources are stored, and nothing is decoded`() async throws {
        try await open { studio in
            let requests = (0..<9).map { studio.request("\($0).jpg", 16) }
            let summary = prefetch(requests, studio)
            #expect(summary?.loaded == 9 && summary?.total == 9)
            #expect(gazette.store.stored.count == 9)
            #expect(gazette.store.stored.values.allSatisfy { $0.bytes == Studio.photo })
            #expect(studio.codec.decodes.count == 0)
            #expect(studio.pipeline.memoryCache.count == 0)
            #expect(studio.origin.statistics.requests == 9)
            for side in [8, 32] {
                let rendition = try await studio.ask(studio.request("3.jpg", side)).value
                #expect(rendition.cache == .hit)
            }
            #expect(studio.origin.statistics.requests == 9)
        }
    }

    @Test func `100: what is stored and fresh is skipped, what is stale is asked for`() async throws {
        try await open { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: Gazette.photo(["Cache-Control": "max-age=60", "ETag": "\"1\""]),
                .status(304, headers: ["Cache-Control": "max-age=60"])
            )
            // Sizes make no difference: there is one source.
            for side in [8, 16, 32] {
                #expect(prefetch([studio.request("photo.jpg", side)], studio)?.loaded == 1)
            }
            #expect(studio.origin.statistics.requests == 1)
            gazette.advance(by: .seconds(60))
            #expect(prefetch([studio.request()], studio)?.loaded == 1)
            #expect(studio.origin.statistics.requests == 2)
            #expect(studio.lastField("If-None-Match") == "\"1\"")
            #expect(prefetch([studio.request()], studio)?.loaded == 1)
            #expect(studio.origin.statistics.requests == 2)
            #expect(studio.codec.decodes.count == 0)
        }
    }

    @Test func `100: what cannot be stored counts as failed`() async throws {
        try await open { studio in
            try studio.origin.answer(
                studio.url("secret.jpg"),
                with: Gazette.photo(["Cache-Control": "no-store"])
            )
            try studio.origin.answer(studio.url("gone.jpg"), with: .status(404))
            var unstored = studio.request("a.jpg")
            unstored.cachePolicy = .noStore
            let requests = [
                studio.request("secret.jpg"), studio.request("gone.jpg"), unstored,
                ImageRequest(.bytes(Studio.photo)), studio.request("fine.jpg"),
            ]
            let summary = prefetch(requests, studio)
            #expect(summary?.failed == 4 && summary?.loaded == 1)
            let load = studio.start { try await $0.storeSource(of: studio.request("secret.jpg")) }
            #expect(await code(of: load) == "storage_failed")
        }
        for contents in [[], .renditions] as [StoredContents] {
            try await open(contents) { studio in
                #expect(prefetch([studio.request()], studio)?.failed == 1)
                #expect(studio.origin.statistics.requests == 0)
            }
        }
    }

    @Test func `who wants a picture that is being prefetched shares its download`() async throws {
        try await open { studio in
            let gate = try studio.hold()
            let prefetcher = start([studio.request()], studio)
            #expect(prefetcher.loadCount == 1)
            let load = studio.ask(studio.request())
            studio.signal(gate)
            #expect(await code(of: load) == nil)
            #expect(ended.values.map(\.loaded) == [1])
            #expect(studio.origin.statistics.requests == 1)
            // To let go of it would stop it.
            withExtendedLifetime(prefetcher) {}
        }
    }

    @Test func `let go of, it cancels what is under way`() async throws {
        try await open { studio in
            let gate = try studio.hold()
            var prefetcher: Prefetcher? = start([studio.request()], studio)
            #expect(prefetcher?.loadCount == 1)
            prefetcher = nil
            studio.settle()
            #expect(ended.values.map(\.stopped) == [1])
            studio.signal(gate)
            #expect(gazette.store.stored.isEmpty)
        }
    }

    @Test func `it waits for a store that is slow, and loses nothing`() async throws {
        let slow = HeldStore(holdsWrites: true)
        let photo = TinyPicture.jpeg(PixelSize(width: 64, height: 48)) + Array(repeating: 0, count: 3 << 20)
        try await open(.sources) {
            $0.store = slow
        } _: { studio in
            for number in 0..<12 {
                try studio.origin.answer(studio.url("\(number).jpg"), with: .bytes(photo))
            }
            let requests = (0..<12).map { studio.request("\($0).jpg") }
            let prefetcher = start(requests, studio)
            #expect(prefetcher.waitingCount > 0)
            #expect(studio.origin.statistics.requests < 12)
            studio.signal(slow.mayWrite)
            #expect(ended.values.map(\.loaded) == [12])
            #expect(slow.stored.count == 12)
            withExtendedLifetime(prefetcher) {}
        }
    }
}
