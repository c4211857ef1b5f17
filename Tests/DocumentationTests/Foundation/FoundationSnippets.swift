import Calotype
import CalotypeFoundation
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(1))) struct FoundationSnippets {
    @Test func `a thumbnail of a URL as data`() async throws {
        // snippet: Foundation.thumbnail
        func thumbnail(of url: URL, from pipeline: ImagePipeline) async throws -> Data {
            let request = ImageRequest(url, .fit(256, 256), .webp)
            return try await pipeline.rendition(for: request).data
        }
        // end
        try await withSamplePipeline { pipeline, _ in
            let url = try #require(URL(string: "http://a.test/photo.jpg"))
            #expect(try await thumbnail(of: url, from: pipeline).starts(with: Array("RIFF".utf8)))
        }
    }
}
