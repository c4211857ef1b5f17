import CalotypeCore
import CalotypeHTTP
import CalotypeStore
import CalotypeTestKit
import Glibc
import Testing

@testable import Calotype

/// The memory cache as callers of the pipeline see it.
@Suite(.timeLimit(.minutes(1)))
struct CachingTests {
    private static let wide = TinyPicture.jpeg(PixelSize(width: 64, height: 8))

    @Test func `a picture that is in memory comes without network and without costs`() async throws {
        try await Studio.open { studio in
            let first = try await studio.ask(studio.request()).value
            let again = try await studio.ask(studio.request()).value
            #expect(again.bytes == first.bytes)
            #expect(first.attempts == 1 && again.attempts == 0)
            #expect(again.timings.decode == .zero && again.timings.queue == .zero)
            #expect(studio.origin.statistics.requests == 1)
            let cache = studio.pipeline.memoryCache
            #expect(cache.count == 1 && cache.bytes.bytes == first.bytes.count)
        }
    }

    @Test func `each load is one hit or one miss`() async throws {
        try await Studio.open { studio in
            for _ in 0..<3 { #expect(await code(of: studio.ask(studio.request())) == nil) }
            #expect(studio.pipeline.memoryCache.hits == 2)
            #expect(studio.pipeline.memoryCache.misses == 1)
        }
    }

    @Test func `pixels and encoded pictures are kept side by side`() async throws {
        try await Studio.open { studio in
            let request = studio.request()
            for _ in 0..<2 {
                let bitmap = try await studio.start { try await $0.bitmap(for: request) }.value
                let rendition = try await studio.ask(request).value
                #expect(bitmap.size == rendition.size)
            }
            #expect(studio.pipeline.memoryCache.count == 2)
            #expect(studio.origin.statistics.requests == 2)
        }
    }

    @Test func `the first picture of a key stays, and all callers get it`() async throws {
        try await Studio.open { studio in
            let gate = Event()
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: .bytes(Self.wide).after(.until(gate)),
                .bytes(Studio.photo)
            )
            let slow = studio.ask(studio.request())
            var fresh = studio.request()
            fresh.cachePolicy = .reload
            let fast = try await studio.ask(fresh).value
            studio.signal(gate)
            let late = try await slow.value
            #expect(late.bytes == fast.bytes)
            let kept = try await studio.ask(studio.request()).value
            #expect(kept.bytes == fast.bytes)
        }
    }

    @Test func `a reload asks the origin and replaces what was there (6)`() async throws {
        try await Studio.open { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: .bytes(Studio.photo),
                .bytes(Self.wide)
            )
            #expect(await code(of: studio.ask(studio.request())) == nil)
            var fresh = studio.request()
            fresh.cachePolicy = .reload
            let new = try await studio.ask(fresh).value.size
            #expect(new == PixelSize(width: 32, height: 4))
            let kept = try await studio.ask(studio.request()).value
            #expect(kept.size == new && kept.attempts == 0)
            #expect(studio.origin.statistics.requests == 2)
        }
    }

    @Test func `a reload that finds nothing removes what was there, also for the next process`() async throws
    {
        let store = HeldStore()
        try await Studio.open {
            $0.store = store
        } _: { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: Gazette.photo(["Cache-Control": "max-age=3600"]),
                .status(404)
            )
            #expect(await code(of: studio.ask(studio.request())) == nil)
            #expect(store.stored.count == 1)
            var fresh = studio.request()
            fresh.cachePolicy = .reload
            #expect(await code(of: studio.ask(fresh)) == ErrorCode.http(status: 404).rawValue)
            studio.settle()
            #expect(store.stored.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `of two answers that overlap the older is not kept in place of the newer`(
        isReloadLast: Bool
    ) async throws {
        let (first, second) = (Event(), Event())
        try await Studio.open { studio in
            let (old, new) = (
                Gazette.photo(["ETag": "\"1\""]), Gazette.photo(["ETag": "\"2\""], Self.wide)
            )
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: old.after(.until(first)),
                new.after(.until(second)),
                new
            )
            var fresh = studio.request()
            fresh.cachePolicy = .reload
            let reload = studio.ask(fresh)
            let load = studio.ask(studio.request("photo.jpg", 16))
            for event in isReloadLast ? [second, first] : [first, second] { studio.signal(event) }
            #expect(try await load.value.source.storedSize.height == 8)
            #expect(try await reload.value.source.storedSize.height == (isReloadLast ? 8 : 48))
            for side in [16, 32] {
                let later = try await studio.ask(studio.request("photo.jpg", side)).value
                #expect(later.source.storedSize.height == 8)
            }
        }
    }

    @Test func `a reload does not take the bytes that another load holds`() async throws {
        try await Studio.open(holding: [.end]) { studio in
            let load = studio.ask(studio.request())
            var fresh = studio.request("photo.jpg", 16)
            fresh.cachePolicy = .reload
            let reload = studio.ask(fresh)
            #expect(studio.origin.statistics.requests == 2)
            studio.signal(studio.codec.mayEnd)
            for task in [load, reload] { #expect(await code(of: task) == nil) }
        }
    }

    @Test func `without storing nothing is taken and nothing is kept`() async throws {
        try await Studio.open { studio in
            var unstored = studio.request()
            unstored.cachePolicy = .noStore
            #expect(await code(of: studio.ask(unstored)) == nil)
            #expect(studio.pipeline.memoryCache.count == 0)
            #expect(await code(of: studio.ask(studio.request())) == nil)
            #expect(await code(of: studio.ask(unstored)) == nil)
            #expect(studio.origin.statistics.requests == 3)
        }
    }

    @Test
    func `from the cache only, what is there comes, and what is not is not_cached, without network (55)`()
        async throws
    {
        try await Studio.open { studio in
            var request = studio.request()
            request.cachePolicy = .cacheOnly
            let cached = request
            #expect(await code(of: studio.ask(cached)) == "not_cached")
            #expect(await code(of: studio.start { try await $0.bitmap(for: cached) }) == "not_cached")
            #expect(await code(of: studio.start { try await $0.data(for: cached) }) == "not_cached")
            let raw = studio.start { try await $0.data(for: cached, check: .none) }
            #expect(await code(of: raw) == "not_cached")
            #expect(studio.origin.statistics.requests == 0)
            #expect(await code(of: studio.ask(studio.request())) == nil)
            #expect(await code(of: studio.ask(cached)) == nil)
            #expect(studio.origin.statistics.requests == 1)
        }
    }

    @Test func `a load from the cache only does not wait for one from the network (23)`() async throws {
        try await Studio.open { studio in
            let gate = try studio.hold()
            let load = studio.ask(studio.request())
            var cached = studio.request()
            cached.cachePolicy = .cacheOnly
            #expect(await code(of: studio.ask(cached)) == "not_cached")
            studio.signal(gate)
            #expect(await code(of: load) == nil)
        }
    }

    @Test func `files and bytes are not kept, what a provider gives is (56)`() async throws {
        let path = "/tmp/calotype-test-\(UInt64.random(in: 0...UInt64.max)).jpg"
        try await Studio.open { studio in
            let provider = ImageProvider(id: "one") { Studio.photo }
            let first = try await studio.ask(ImageRequest(.provided(provider), .none, .original)).value
            try first.write(to: path)
            defer { unsafe unlink(path) }
            for source in [ImageSource.file(path: path), .bytes(Studio.photo)] {
                #expect(await code(of: studio.ask(ImageRequest(source, .fit(16, 16)))) == nil)
            }
            #expect(studio.pipeline.memoryCache.count == 1)
            #expect(studio.codec.decodes.count == 3)
            #expect(await code(of: studio.ask(ImageRequest(.provided(provider), .none, .original))) == nil)
            #expect(studio.codec.decodes.count == 3)
        }
    }

    @Test func `a file that has changed gives its new picture (56)`() async throws {
        let path = "/tmp/calotype-test-\(UInt64.random(in: 0...UInt64.max)).jpg"
        defer { unsafe unlink(path) }
        try await Studio.open { studio in
            var sizes: [PixelSize] = []
            for bytes in [Studio.photo, Self.wide] {
                try await studio.ask(ImageRequest(.bytes(bytes), .none, .original)).value.write(to: path)
                sizes.append(try await studio.ask(ImageRequest(.file(path: path))).value.size)
            }
            #expect(sizes == [PixelSize(width: 64, height: 48), PixelSize(width: 64, height: 8)])
        }
    }

    @Test func `the cache's limits hold, and none keeps nothing (86, 87)`() async throws {
        for (limits, requests) in [(MemoryCacheLimits(count: 1), 3), (.none, 4)] {
            try await Studio.open {
                $0.memoryCache = limits
            } _: { studio in
                for name in ["1.jpg", "2.jpg", "2.jpg", "1.jpg"] {
                    #expect(await code(of: studio.ask(studio.request(name))) == nil)
                }
                #expect(studio.origin.statistics.requests == requests)
                #expect(studio.pipeline.memoryCache.count == min(limits.count, 1))
            }
        }
    }

    @Test func `tenants never see each other's pictures`() async throws {
        try await Studio.open { studio in
            studio.origin.answer { request in
                request.headers["Authorization"] == "Bearer b" ? .status(403) : nil
            }
            #expect(await code(of: studio.ask(studio.request())) == nil)
            var other = studio.request()
            other.partition = "b"
            other.headers = [HeaderField("Authorization", "Bearer b")]
            #expect(await code(of: studio.ask(other)) == "http_403")
            other.cachePolicy = .cacheOnly
            #expect(await code(of: studio.ask(other)) == "not_cached")
        }
    }
}
