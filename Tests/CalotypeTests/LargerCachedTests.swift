import CalotypeCodec
import CalotypeCore
import CalotypeStore
import CalotypeTestKit
import Testing

@testable import Calotype

/// Bitmaps in memory that serve smaller requests, and memory that is short.
@Suite(.timeLimit(.minutes(1)))
struct LargerCachedTests {
    private static func bitmap(_ fixture: PipelineFixture, _ request: ImageRequest) async throws -> PixelSize
    {
        try await fixture.start { try await $0.bitmap(for: request) }.value.size
    }

    @Test func `a larger bitmap in memory serves only requests that allow it`() async throws {
        try await PipelineFixture.open { fixture in
            let large = try await Self.bitmap(fixture, fixture.request("photo.jpg", 60))
            var small = fixture.request("photo.jpg", 16)
            small.allowsLarger = true
            let given = try await Self.bitmap(fixture, small)
            #expect(given == large)
            #expect(fixture.origin.statistics.requests == 1 && fixture.codec.decodes.count == 1)
            let cache = fixture.pipeline.memoryCache
            #expect(cache.hits == 1 && cache.misses == 1)
            let exact = try await Self.bitmap(fixture, fixture.request("photo.jpg", 16))
            #expect(exact == PixelSize(width: 16, height: 12))
            let now = try await Self.bitmap(fixture, small)
            #expect(now == exact)
        }
    }

    @Test func `a smaller one never serves a larger request, and the smallest of the larger ones does`()
        async throws
    {
        try await PipelineFixture.open { fixture in
            for side in [16, 60, 32] {
                _ = try await Self.bitmap(fixture, fixture.request("photo.jpg", side))
            }
            var sizes: [Int] = []
            for side in [8, 24, 40, 62] {
                var request = fixture.request("photo.jpg", side)
                request.allowsLarger = true
                sizes.append(try await Self.bitmap(fixture, request).width)
            }
            #expect(sizes == [16, 32, 60, 62])
        }
    }

    @Test func `other sources, tenants, renditions and policies that do not read get what they ask for`()
        async throws
    {
        try await PipelineFixture.open { fixture in
            _ = try await Self.bitmap(fixture, fixture.request("photo.jpg", 60))
            var other = fixture.request("other.jpg", 16)
            var tenant = fixture.request("photo.jpg", 16)
            tenant.partition = "b"
            var reload = fixture.request("photo.jpg", 16)
            reload.cachePolicy = .reload
            other.allowsLarger = true
            tenant.allowsLarger = true
            reload.allowsLarger = true
            for request in [other, tenant, reload] {
                let size = try await Self.bitmap(fixture, request)
                #expect(size.width == 16)
            }
            var rendition = fixture.request("photo.jpg", 12)
            rendition.allowsLarger = true
            let made = try await fixture.ask(rendition).value
            #expect(made.size.width == 12)
        }
    }

    @Test func `from the cache only, the larger one comes without network`() async throws {
        try await PipelineFixture.open { fixture in
            _ = try await Self.bitmap(fixture, fixture.request("photo.jpg", 60))
            var request = fixture.request("photo.jpg", 16)
            request.cachePolicy = .cacheOnly
            let strict = request
            #expect(await code(of: fixture.start { try await $0.bitmap(for: strict) }) == "not_cached")
            request.allowsLarger = true
            let size = try await Self.bitmap(fixture, request)
            #expect(size.width == 60)
        }
    }

    @Test func `a bitmap that serves several requests is paid for once`() async throws {
        try await PipelineFixture.open { fixture in
            _ = try await Self.bitmap(fixture, fixture.request("photo.jpg", 60))
            let before = fixture.pipeline.memoryCache
            for side in [8, 16, 32] {
                var request = fixture.request("photo.jpg", side)
                request.allowsLarger = true
                _ = try await Self.bitmap(fixture, request)
            }
            #expect(fixture.pipeline.memoryCache.count == 1)
            #expect(fixture.pipeline.memoryCache.bytes == before.bytes)
        }
    }

    @Test func `what was pushed out serves nobody any more`() async throws {
        try await PipelineFixture.open {
            $0.memoryCache = MemoryCacheLimits(count: 1)
        } _: { fixture in
            _ = try await Self.bitmap(fixture, fixture.request("photo.jpg", 60))
            _ = try await Self.bitmap(fixture, fixture.request("other.jpg", 60))
            var request = fixture.request("photo.jpg", 16)
            request.allowsLarger = true
            let size = try await Self.bitmap(fixture, request)
            #expect(size.width == 16)
        }
    }

    @Test func `a larger one that is stale serves nobody`() async throws {
        try await PipelineFixture.open { fixture in
            try fixture.origin.answer(
                fixture.url("photo.jpg"),
                with: ScriptedResponse(
                    headers: ["Cache-Control": "no-cache"],
                    body: [.bytes(PipelineFixture.photo)]
                )
            )
            _ = try await Self.bitmap(fixture, fixture.request("photo.jpg", 60))
            var request = fixture.request("photo.jpg", 16)
            request.allowsLarger = true
            let size = try await Self.bitmap(fixture, request)
            #expect(size.width == 16)
            #expect(fixture.origin.statistics.requests == 2)
        }
    }

    @Test func `pictures in memory last as long as the limits say`() async throws {
        try await PipelineFixture.open {
            $0.memoryCache.timeToLive = .seconds(10)
        } _: { fixture in
            _ = try await fixture.ask(fixture.request()).value
            fixture.advance(by: .seconds(9))
            _ = try await fixture.ask(fixture.request()).value
            #expect(fixture.origin.statistics.requests == 1)
            fixture.advance(by: .seconds(1))
            _ = try await fixture.ask(fixture.request()).value
            #expect(fixture.origin.statistics.requests == 2)
        }
    }

    @Test func `when memory is short half of the pictures go, and the watch ends with the memory`() async {
        let opened = Recorder<Int>()
        let short = Recorder<@Sendable () -> Void>()
        let memory = PictureMemory(PipelineConfiguration()) { onPressure in
            short.record(onPressure)
            return PressureWatcher(
                opening: {
                    opened.record(1)
                    return (nil, [])
                },
                onPressure
            )
        }
        let mebibyte = Bitmap(
            size: PixelSize(width: 512, height: 512),
            rgba: Array(repeating: 0, count: 1 << 20)
        )
        for number in 0..<8 {
            let key = RenditionKey(ImageRequest("\(number)"), .pixels(.none))
            memory.cache.store(
                Picture(.bitmap(mebibyte), Provenance(nil, freshUntil: nil, from: .own)),
                for: key
            )
            #expect(opened.count == 0)
            memory.hasGrown()
        }
        #expect(opened.count == 1)
        short.values.first?()
        #expect(memory.cache.snapshot.count == 4)
        await memory.end()
    }

    @Test func `no pressure is watched for where it is switched off, nor on an executor of somebody else's`()
    {
        for (isOn, executor) in [(false, nil), (true, ManualExecutor())] as [(Bool, ManualExecutor?)] {
            var configuration = PipelineConfiguration()
            configuration.trimsOnMemoryPressure = isOn
            configuration.executor = executor
            _ = PictureMemory(configuration) { onPressure in
                Issue.record("a watcher was made")
                return PressureWatcher(onPressure)
            }
        }
    }
}
