import CalotypeCore
import CalotypeFiles
import CalotypeOrigin
import CalotypeStore
import CalotypeTestKit
import TaskFlow
import Testing

@testable import Calotype

#if DEBUG
/// With a real origin, a real disk cache, and downloads that go to files.
@Suite(.timeLimit(.minutes(1)))
struct BlockingCallTests {
    @Test func `no thread of the cooperative pool waits for a name, a spooled download or the disk cache`()
        async throws
    {
        let photo = TinyPicture.jpeg(PixelSize(width: 64, height: 48))
        let calls = Guarded<[String]>([])
        let source = OriginConfiguration(pictures: PicturesInMemory(["photo.jpg": photo]))
        try await withOrigin(source) { origin in
            try await withScratchFolder { folder in
                try await BlockingCalls.$observer.withValue({ call in calls.withLock { $0.append(call) } }) {
                    try await withDiskCache(DiskCacheConfiguration(folder: folder)) { cache in
                        var configuration = PipelineConfiguration()
                        (configuration.store, configuration.stores) = (cache, [.renditions, .sources])
                        configuration.spoolThreshold = ByteCount(1)
                        let url = origin.url("/pictures/photo.jpg").replacing("127.0.0.1", with: "localhost")
                        for _ in 0..<2 {
                            try await withImagePipeline(configuration) { pipeline in
                                let request = ImageRequest(url, .fit(16, 16), .jpeg(quality: 82))
                                let rendition = try await pipeline.rendition(for: request)
                                #expect(rendition.size.width == 16)
                            }
                            try await cache.flush()
                        }
                    }
                }
            }
        }
        #expect(calls.withLock { $0 } == [])
    }
}
#endif
