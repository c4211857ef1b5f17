import CalotypeCore
import CalotypeHTTP
import CalotypePlatform
import CalotypeStore
import CalotypeTestKit
import Testing

@testable import Calotype

/// The memory cache as callers of the pipeline see it.
@Suite(.timeLimit(.minutes(1)))
struct CachingTests {
    private static let wide = TinyPicture.jpeg(PixelSize(width: 64, height: 8))

    @Test func `a picture that is in memory comes without network and without costs`() async throws {
        try await PipelineFixture.open { fixture in
            let first = try await fixture.ask(fixture.request()).value
            let again = try await fixture.ask(fixture.request()).value
            #expect(again.bytes == first.bytes)
            #expect(first.attempts == 1 && again.attempts == 0)
            #expect(again.timings.decode == .zero && again.timings.queue == .zero)
            #expect(fixture.origin.statistics.requests == 1)
            let cache = fixture.pipeline.memoryCache
            #expect(cache.count == 1 && cache.bytes.bytes == first.bytes.count)
        }
    }

    @Test func `each load is one hit or one miss`() async throws {
        try await PipelineFixture.open { fixture in
            for _ in 0..<3 { #expect(await code(of: fixture.ask(fixture.request())) == nil) }
            #expect(fixture.pipeline.memoryCache.hits == 2)
            #expect(fixture.pipeline.memoryCache.misses == 1)
        }
    }

    @Test func `pixels and encoded pictures are kept side by side`() async throws {
        try await PipelineFixture.open { fixture in
            let request = fixture.request()
            for _ in 0..<2 {
                let bitmap = try await fixture.start { try await $0.bitmap(for: request) }.value
                let rendition = try await fixture.ask(request).value
                #expect(bitmap.size == rendition.size)
            }
            #expect(fixture.pipeline.memoryCache.count == 2)
            #expect(fixture.origin.statistics.requests == 2)
        }
    }

    @Test func `the first picture of a key stays, and all callers get it`() async throws {
        try await PipelineFixture.open { fixture in
            let gate = Event()
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: .bytes(Self.wide).after(.until(gate)),
                .bytes(PipelineFixture.photo)
            )
            let slow = fixture.ask(fixture.request())
            var fresh = fixture.request()
            fresh.cachePolicy = .reload
            let fast = try await fixture.ask(fresh).value
            fixture.signal(gate)
            let late = try await slow.value
            #expect(late.bytes == fast.bytes)
            let kept = try await fixture.ask(fixture.request()).value
            #expect(kept.bytes == fast.bytes)
        }
    }

    @Test func `a reload asks the origin and replaces what was there`() async throws {
        try await PipelineFixture.open { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: .bytes(PipelineFixture.photo),
                .bytes(Self.wide)
            )
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            var fresh = fixture.request()
            fresh.cachePolicy = .reload
            let new = try await fixture.ask(fresh).value.size
            #expect(new == PixelSize(width: 32, height: 4))
            let kept = try await fixture.ask(fixture.request()).value
            #expect(kept.size == new && kept.attempts == 0)
            #expect(fixture.origin.statistics.requests == 2)
        }
    }

    @Test func `a reload that finds nothing removes what was there, also for the next process`() async throws
    {
        let store = HeldStore()
        try await PipelineFixture.open {
            $0.store = store
        } _: { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: DocumentFixture.photo(["Cache-Control": "max-age=3600"]),
                .status(404)
            )
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            #expect(store.stored.count == 1)
            var fresh = fixture.request()
            fresh.cachePolicy = .reload
            #expect(await code(of: fixture.ask(fresh)) == ErrorCode.http(status: 404).rawValue)
            fixture.settle()
            #expect(store.stored.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `of two overlapping responses, the older does not replace the newer`(
        isReloadLast: Bool
    ) async throws {
        let (first, second) = (Event(), Event())
        try await PipelineFixture.open { fixture in
            let (old, new) = (
                DocumentFixture.photo(["ETag": "\"1\""]), DocumentFixture.photo(["ETag": "\"2\""], Self.wide)
            )
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: old.after(.until(first)),
                new.after(.until(second)),
                new
            )
            var fresh = fixture.request()
            fresh.cachePolicy = .reload
            let reload = fixture.ask(fresh)
            let load = fixture.ask(fixture.request("photo.jpg", 16))
            for event in isReloadLast ? [second, first] : [first, second] { fixture.signal(event) }
            #expect(try await load.value.source.storedSize.height == 8)
            #expect(try await reload.value.source.storedSize.height == (isReloadLast ? 8 : 48))
            for side in [16, 32] {
                let later = try await fixture.ask(fixture.request("photo.jpg", side)).value
                #expect(later.source.storedSize.height == 8)
            }
        }
    }

    @Test func `a reload does not take the bytes that another load holds`() async throws {
        try await PipelineFixture.open(holding: [.end]) { fixture in
            let load = fixture.ask(fixture.request())
            var fresh = fixture.request("photo.jpg", 16)
            fresh.cachePolicy = .reload
            let reload = fixture.ask(fresh)
            #expect(fixture.origin.statistics.requests == 2)
            fixture.signal(fixture.codec.mayEnd)
            for task in [load, reload] { #expect(await code(of: task) == nil) }
        }
    }

    @Test func `without storing nothing is taken and nothing is kept`() async throws {
        try await PipelineFixture.open { fixture in
            var unstored = fixture.request()
            unstored.cachePolicy = .noStore
            #expect(await code(of: fixture.ask(unstored)) == nil)
            #expect(fixture.pipeline.memoryCache.count == 0)
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            #expect(await code(of: fixture.ask(unstored)) == nil)
            #expect(fixture.origin.statistics.requests == 3)
        }
    }

    @Test
    func `from the cache only, what is there comes, and what is not is not_cached, without network`()
        async throws
    {
        try await PipelineFixture.open { fixture in
            var request = fixture.request()
            request.cachePolicy = .cacheOnly
            let cached = request
            #expect(await code(of: fixture.ask(cached)) == "not_cached")
            #expect(await code(of: fixture.start { try await $0.bitmap(for: cached) }) == "not_cached")
            #expect(await code(of: fixture.start { try await $0.data(for: cached) }) == "not_cached")
            let raw = fixture.start { try await $0.data(for: cached, check: .none) }
            #expect(await code(of: raw) == "not_cached")
            #expect(fixture.origin.statistics.requests == 0)
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            #expect(await code(of: fixture.ask(cached)) == nil)
            #expect(fixture.origin.statistics.requests == 1)
        }
    }

    @Test func `a load from the cache only does not wait for one from the network`() async throws {
        try await PipelineFixture.open { fixture in
            let gate = try fixture.hold()
            let load = fixture.ask(fixture.request())
            var cached = fixture.request()
            cached.cachePolicy = .cacheOnly
            #expect(await code(of: fixture.ask(cached)) == "not_cached")
            fixture.signal(gate)
            #expect(await code(of: load) == nil)
        }
    }

    @Test func `files and bytes are not kept, what a provider gives is`() async throws {
        let path = "/tmp/calotype-test-\(UInt64.random(in: 0...UInt64.max)).jpg"
        try await PipelineFixture.open { fixture in
            let provider = ImageProvider(id: "one") { PipelineFixture.photo }
            let first = try await fixture.ask(ImageRequest(.provided(provider), .none, .original)).value
            try first.write(to: path)
            defer { unsafe unlink(path) }
            for source in [ImageSource.file(path: path), .bytes(PipelineFixture.photo)] {
                #expect(await code(of: fixture.ask(ImageRequest(source, .fit(16, 16)))) == nil)
            }
            #expect(fixture.pipeline.memoryCache.count == 1)
            #expect(fixture.codec.decodes.count == 3)
            #expect(await code(of: fixture.ask(ImageRequest(.provided(provider), .none, .original))) == nil)
            #expect(fixture.codec.decodes.count == 3)
        }
    }

    @Test func `a file that has changed gives its new picture`() async throws {
        let path = "/tmp/calotype-test-\(UInt64.random(in: 0...UInt64.max)).jpg"
        defer { unsafe unlink(path) }
        try await PipelineFixture.open { fixture in
            var sizes: [PixelSize] = []
            for bytes in [PipelineFixture.photo, Self.wide] {
                try await fixture.ask(ImageRequest(.bytes(bytes), .none, .original)).value.write(to: path)
                sizes.append(try await fixture.ask(ImageRequest(.file(path: path))).value.size)
            }
            #expect(sizes == [PixelSize(width: 64, height: 48), PixelSize(width: 64, height: 8)])
        }
    }

    @Test func `the cache's limits hold, and none keeps nothing`() async throws {
        for (limits, requests) in [(MemoryCacheLimits(count: 1), 3), (.none, 4)] {
            try await PipelineFixture.open {
                $0.memoryCache = limits
            } _: { fixture in
                for name in ["1.jpg", "2.jpg", "2.jpg", "1.jpg"] {
                    #expect(await code(of: fixture.ask(fixture.request(name))) == nil)
                }
                #expect(fixture.origin.statistics.requests == requests)
                #expect(fixture.pipeline.memoryCache.count == min(limits.count, 1))
            }
        }
    }

    @Test func `tenants never see each other's pictures`() async throws {
        try await PipelineFixture.open { fixture in
            fixture.origin.answer { request in
                request.headers["Authorization"] == "Bearer b" ? .status(403) : nil
            }
            #expect(await code(of: fixture.ask(fixture.request())) == nil)
            var other = fixture.request()
            other.partition = "b"
            other.headers = [HeaderField("Authorization", "Bearer b")]
            #expect(await code(of: fixture.ask(other)) == "http_403")
            other.cachePolicy = .cacheOnly
            #expect(await code(of: fixture.ask(other)) == "not_cached")
        }
    }

    @Test func `bytes are cached if they have a cache key`() async throws {
        try await PipelineFixture.open { fixture in
            for (key, uses) in [(nil, [CacheUse.miss, .miss]), ("photo", [.miss, .hit])] {
                var request = ImageRequest(.bytes(PipelineFixture.photo), .fit(16, 16))
                request.cacheKey = key
                for use in uses {
                    let cache = try await fixture.ask(request).value.cache
                    #expect(cache == use)
                }
            }
        }
    }

    @Test func `a URL that changes is loaded once under its cache key`() async throws {
        let store = HeldStore()
        for isStored in [false, true] {
            try await PipelineFixture.open {
                $0.store = store
            } _: { fixture in
                let requests = (1...3).map { number in
                    var request = fixture.request("photo.jpg?signature=\(number)")
                    request.cacheKey = "photo"
                    return request
                }
                let gate = isStored ? nil : try fixture.hold("photo.jpg?signature=1")
                let loads = requests.prefix(2).map { fixture.ask($0) }
                if let gate { fixture.signal(gate) }
                for load in loads { #expect(await code(of: load) == nil) }
                let later = try await fixture.ask(requests[2]).value
                #expect(later.cache == .hit)
                #expect(fixture.origin.statistics.requests == (isStored ? 0 : 1))
                var stranger = fixture.request("photo.jpg?signature=1")
                stranger.cachePolicy = .cacheOnly
                #expect(await code(of: fixture.ask(stranger)) == "not_cached")
            }
        }
    }
}
