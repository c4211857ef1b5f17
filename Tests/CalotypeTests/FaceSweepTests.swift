import Calotype
import CalotypeCore
import CalotypeTestKit
import TaskFlow
import Testing

/// Pools, prefetchers and thumbnails, cancelled at each of their steps over a scripted origin.
@Suite(.timeLimit(.minutes(5)))
struct FaceSweepTests {
    private typealias Order = CancellationSweep.JobOrder
    private static let orders: [Order] = [.arrival, .random(seed: 1), .random(seed: 2)]
    private static let names = ["a", "b", "c"]

    @Test(arguments: orders)
    func `a caller of a pool is cancelled at every step, the other gets a picture`(
        _ order: CancellationSweep.JobOrder
    ) async throws {
        try await sweep(order) { context, pipeline, _ in
            let pool = ImagePool(pipeline.renditionLoader, of: Self.requests, limit: 2)
            async let other = pool.randomPicture()
            let picture = try await context.victim { try await pool.randomPicture() }
            if let picture { #expect(picture.size.width == 32) }
            let size = try await other.size
            #expect(size.width == 32)
            // The third picture is on its way yet.
            try await context.clock.sleep(for: .seconds(1))
            await context.settle()
            #expect(pipeline.snapshot.isQuiet)
            #expect(pool.count == 3)
        }
    }

    @Test(arguments: orders)
    func `a pool and its preload are cancelled at every step, and asked again`(
        _ order: CancellationSweep.JobOrder
    ) async throws {
        try await sweep(order) { context, pipeline, _ in
            let pool = ImagePool(pipeline.renditionLoader, of: Self.requests, limit: 2)
            let picture = try await context.victim {
                try await withTaskCancellationHandler {
                    try await pool.randomPicture()
                } onCancel: {
                    pool.end()
                }
            }
            if picture == nil { #expect(pool.count == 0) }
            let again = try await pool.randomPicture()
            #expect(again.size.width == 32)
            pool.end()
            await context.settle()
            #expect(pipeline.snapshot.isQuiet)
        }
    }

    @Test(arguments: orders)
    func `a prefetched list is cancelled at every step, the other list is loaded`(
        _ order: CancellationSweep.JobOrder
    ) async throws {
        try await sweep(order) { context, pipeline, transport in
            let prefetcher = Prefetcher(pipeline.renditionLoader, limit: 2)
            let ends = Recorder<PrefetchSummary>()
            let other = prefetcher.start([Self.requests[2]])
            try await context.victim {
                let token = prefetcher.start(Self.requests) { ends.record($0) }
                try await withTaskCancellationHandler {
                    _ = try await token.summary
                } onCancel: {
                    token.cancel()
                }
            }
            let summary = try await other.summary
            #expect(summary.loaded == 1)
            await context.settle()
            #expect(ends.count <= 1)
            #expect(prefetcher.loadCount == 0)
            #expect(prefetcher.waitingCount == 0)
            #expect(pipeline.snapshot.isQuiet)
            #expect(transport.statistics.requests <= 4)
        }
    }

    @Test(arguments: orders)
    func `a thumbnail is cancelled at every step, and others still get the same picture`(
        _ order: CancellationSweep.JobOrder
    ) async throws {
        try await sweep(order) { context, pipeline, transport in
            try transport.answer(
                "http://origin.test/a/size",
                with: .bytes(Array("20".utf8)).after(.pause(.milliseconds(5)))
            )
            let source = ThumbnailSource<String> { id in
                ("http://origin.test/\(id)", "http://origin.test/\(id)/size")
            } size: { document in
                PixelSize(width: Int(String(decoding: document, as: UTF8.self)) ?? 0, height: 64)
            }
            async let other = pipeline.rendition(for: Self.requests[0])
            let thumbnail = try await context.victim { try await pipeline.thumbnail(for: "a", from: source) }
            if let thumbnail { #expect(thumbnail.size.width == 20) }
            let size = try await other.size
            #expect(size.width == 32)
            await context.settle()
            #expect(pipeline.snapshot.isQuiet)
        }
    }

    private static let requests = names.map { ImageRequest("http://origin.test/\($0)", .fit(32, 32)) }

    private func sweep(
        _ order: CancellationSweep.JobOrder,
        _ scenario:
            @escaping @Sendable (SweepContext, ImagePipeline, ScriptedTransport) async throws -> Void
    ) async throws {
        let photo = TinyPicture.jpeg(PixelSize(width: 64, height: 48))
        let report = try await CancellationSweep(order: order).run { context in
            let transport = ScriptedTransport(
                clock: context.clock,
                otherwise: .bytes(photo).after(.pause(.milliseconds(2)))
            )
            var configuration = PipelineConfiguration()
            (configuration.exchange, configuration.clock) = (transport, context.clock)
            configuration.executor = context.executor
            try await withImagePipeline(configuration) { pipeline in
                try await scenario(context, pipeline, transport)
            }
            #expect(transport.statistics.open == 0)
        }
        #expect(report.cuts > 3)
    }
}
