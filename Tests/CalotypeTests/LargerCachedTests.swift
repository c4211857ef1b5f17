import CalotypeCodec
import CalotypeCore
import CalotypeStore
import CalotypeTestKit
import Testing

@testable import Calotype

/// Bitmaps in memory that serve smaller requests, and memory that is short.
@Suite(.timeLimit(.minutes(1)))
struct LargerCachedTests {
    private static func bitmap(_ studio: Studio, _ request: ImageRequest) async throws -> PixelSize {
        try await studio.start { try await $0.bitmap(for: request) }.value.size
    }

    @Test func `91: a larger bitmap in memory serves who allows it, and nobody else`() async throws {
        try await Studio.open { studio in
            let large = try await Self.bitmap(studio, studio.request("photo.jpg", 60))
            var small = studio.request("photo.jpg", 16)
            small.allowsLarger = true
            let given = try await Self.bitmap(studio, small)
            #expect(given == large)
            #expect(studio.origin.statistics.requests == 1 && studio.codec.decodes.count == 1)
            let cache = studio.pipeline.memoryCache
            #expect(cache.hits == 1 && cache.misses == 1)
            let exact = try await Self.bitmap(studio, studio.request("photo.jpg", 16))
            #expect(exact == PixelSize(width: 16, height: 12))
            let now = try await Self.bitmap(studio, small)
            #expect(now == exact)
        }
    }

    @Test func `91: a smaller one never serves a larger request, and the smallest of the larger ones does`()
        async throws
    {
        try await Studio.open { studio in
            for side in [16, 60, 32] { _ = try await Self.bitmap(studio, studio.request("photo.jpg", side)) }
            var sizes: [Int] = []
            for side in [8, 24, 40, 62] {
                var request = studio.request("photo.jpg", side)
                request.allowsLarger = true
                sizes.append(try await Self.bitmap(studio, request).width)
            }
            #expect(sizes == [16, 32, 60, 62])
        }
    }

    @Test func `91: other sources, tenants, renditions and policies that do not read get what they ask for`()
        async throws
    {
        try await Studio.open { studio in
            _ = try await Self.bitmap(studio, studio.request("photo.jpg", 60))
            var other = studio.request("other.jpg", 16)
            var tenant = studio.request("photo.jpg", 16)
            tenant.partition = "b"
            var reload = studio.request("photo.jpg", 16)
            reload.cachePolicy = .reload
            other.allowsLarger = true
            tenant.allowsLarger = true
            reload.allowsLarger = true
            for request in [other, tenant, reload] {
                let size = try await Self.bitmap(studio, request)
                #expect(size.width == 16)
            }
            var rendition = studio.request("photo.jpg", 12)
            rendition.allowsLarger = true
            let made = try await studio.ask(rendition).value
            #expect(made.size.width == 12)
        }
    }

    @Test func `91: from the cache only, the larger one comes without network`() async throws {
        try await Studio.open { studio in
            _ = try await Self.bitmap(studio, studio.request("photo.jpg", 60))
            var request = studio.request("photo.jpg", 16)
            request.cachePolicy = .cacheOnly
            let strict = request
            #expect(await code(of: studio.start { try await $0.bitmap(for: strict) }) == "not_cached")
            request.allowsLarger = true
            let size = try await Self.bitmap(studio, request)
            #expect(size.width == 60)
        }
    }

    @Test func `92: a bitmap that serves several requests is paid for once`() async throws {
        try await Studio.open { studio in
            _ = try await Self.bitmap(studio, studio.request("photo.jpg", 60))
            let before = studio.pipeline.memoryCache
            for side in [8, 16, 32] {
                var request = studio.request("photo.jpg", side)
                request.allowsLarger = true
                _ = try await Self.bitmap(studio, request)
            }
            #expect(studio.pipeline.memoryCache.count == 1)
            #expect(studio.pipeline.memoryCache.bytes == before.bytes)
        }
    }

    @Test func `what was pushed out serves nobody any more`() async throws {
        try await Studio.open {
            $0.memoryCache = MemoryCacheLimits(count: 1)
        } _: { studio in
            _ = try await Self.bitmap(studio, studio.request("photo.jpg", 60))
            _ = try await Self.bitmap(studio, studio.request("other.jpg", 60))
            var request = studio.request("photo.jpg", 16)
            request.allowsLarger = true
            let size = try await Self.bitmap(studio, request)
            #expect(size.width == 16)
        }
    }

    @Test func `91: a larger one that is stale serves nobody`() async throws {
        try await Studio.open { studio in
            try studio.origin.answer(
                studio.url("photo.jpg"),
                with: ScriptedAnswer(headers: ["Cache-Control": "no-cache"], body: [.bytes(Studio.photo)])
            )
            _ = try await Self.bitmap(studio, studio.request("photo.jpg", 60))
            var request = studio.request("photo.jpg", 16)
            request.allowsLarger = true
            let size = try await Self.bitmap(studio, request)
            #expect(size.width == 16)
            #expect(studio.origin.statistics.requests == 2)
        }
    }

    @Test func `pictures in memory last as long as the limits say`() async throws {
        try await Studio.open {
            $0.memoryCache.timeToLive = .seconds(10)
        } _: { studio in
            _ = try await studio.ask(studio.request()).value
            studio.advance(by: .seconds(9))
            _ = try await studio.ask(studio.request()).value
            #expect(studio.origin.statistics.requests == 1)
            studio.advance(by: .seconds(1))
            _ = try await studio.ask(studio.request()).value
            #expect(studio.origin.statistics.requests == 2)
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
                KeptPicture(picture: .bitmap(mebibyte), version: nil, freshUntil: nil),
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
