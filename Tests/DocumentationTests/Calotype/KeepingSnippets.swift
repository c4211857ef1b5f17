import Calotype
import CalotypeCore
import CalotypeStore
import CalotypeTestKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct KeepingSnippets {
    private let folder = "\(NSTemporaryDirectory())/calotype-snippets-\(UInt64.random(in: 0...UInt64.max))"
    private let request = ImageRequest("http://photos.test/1.jpg", .fit(16, 16))
    private let transport = ScriptedTransport(
        otherwise: .bytes(TinyPicture.jpeg(PixelSize(width: 64, height: 48)))
    )

    @Test func `a folder of the pipeline's own`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for _ in 0..<2 {
            // snippet: Keeping.folder
            var configuration = PipelineConfiguration()
            configuration.diskCache = DiskCacheConfiguration(folder: folder)
            try await withImagePipeline(configuration) { pipeline in
                let first = try await pipeline.rendition(for: request)
                print(first.cache)  // miss, in the first run; hit, in the second
            }
            // end
        }
        #expect(transport.statistics.requests == 1)
    }

    @Test func `what is looked up and removed`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var configuration = PipelineConfiguration()
        configuration.diskCache = DiskCacheConfiguration(folder: folder)
        try await withImagePipeline(configuration) { pipeline in
            _ = try await pipeline.rendition(for: request)
            // snippet: Keeping.removing
            if let ready = try await pipeline.cache.rendition(for: request) {
                print(ready.size, ready.cache)
            }
            // The picture at this URL was replaced: all sizes go, and its source.
            try await pipeline.cache.removeSource(of: request)
            let new = try await pipeline.rendition(for: request)
            // A customer has left.
            try await pipeline.cache.removeAll(in: "customer 7")
            // end
            #expect(new.cache == .miss)
        }
        #expect(transport.statistics.requests == 2)
    }

    @Test func `a cache that pipelines share`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // snippet: Keeping.shared
        try await withDiskCache(DiskCacheConfiguration(folder: folder)) { cache in
            var configuration = PipelineConfiguration()
            configuration.store = cache
            configuration.stores = [.renditions, .sources]
            try await withImagePipeline(configuration) { pipeline in
                _ = try await pipeline.rendition(for: request)
            }
            print(cache.snapshot.entries, cache.snapshot.bytes)
        }
        // end
        #expect(transport.statistics.requests == 1)
    }

    /// The pipeline of the snippets, over the scripted transport.
    private func withImagePipeline(
        _ configuration: PipelineConfiguration,
        _ body: (ImagePipeline) async throws -> Void
    ) async throws {
        var configuration = configuration
        configuration.exchange = transport
        try await Calotype.withImagePipeline(configuration, body)
    }
}
