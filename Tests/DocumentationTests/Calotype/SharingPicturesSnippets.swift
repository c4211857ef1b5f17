import Calotype
import CalotypeHTTP
import CalotypeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct SharingPicturesSnippets {
    private let url = "http://photos.test/1.jpg"
    private let token = "secret"
    private let tenant = "north"
    private let tokens = Tokens()

    @Test func `three callers`() async throws {
        try await withSamplePipeline { pipeline, _ in
            // snippet: SharingPictures.callers
            async let first = pipeline.rendition(for: ImageRequest(url, .fit(256, 256)))
            async let second = pipeline.rendition(for: ImageRequest(url, .fit(256, 256)))
            async let larger = pipeline.rendition(for: ImageRequest(url, .fit(1024, 1024)))
            let pictures = try await [first, second, larger]
            // end
            #expect(pictures.count == 3)
        }
    }

    @Test func `what must not be shared`() async throws {
        // snippet: SharingPictures.apart
        var request = ImageRequest(url, .fit(256, 256))
        request.headers = [HeaderField("Authorization", "Bearer \(token)")]
        request.partition = tenant
        // end
        #expect(request != ImageRequest(url, .fit(256, 256)))
    }

    @Test func `a URL that changes`() async throws {
        try await withSamplePipeline { pipeline, transport in
            for signature in 1...2 {
                let signedURL = "\(url)?signature=\(signature)"
                // snippet: SharingPictures.named
                var request = ImageRequest(signedURL, .fit(256, 256))
                request.cacheKey = "photo 17"
                // end
                _ = try await pipeline.rendition(for: request)
            }
            #expect(transport.requests.count == 1)
        }
    }

    @Test func `a larger bitmap will do`() async throws {
        try await withSamplePipeline { pipeline, transport in
            let large = try await pipeline.bitmap(for: ImageRequest(url, .fit(200, 200)))
            // snippet: SharingPictures.larger
            var request = ImageRequest(url, .fit(120, 120))
            request.allowsLarger = true
            let bitmap = try await pipeline.bitmap(for: request)
            // end
            #expect(bitmap.size == large.size)
            #expect(transport.requests.count == 1)
        }
    }

    @Test func `the hook adds credentials`() async throws {
        // snippet: SharingPictures.prepare
        var configuration = PipelineConfiguration()
        configuration.prepare = { request in
            var request = request
            let token = try await tokens.current()
            request.headers.append(HeaderField("Authorization", "Bearer \(token)"))
            return request
        }
        // end
        try await withSamplePipeline(configuration) { pipeline, transport in
            _ = try await pipeline.rendition(for: ImageRequest(url))
            #expect(transport.requests.first?.headers["Authorization"] == "Bearer secret")
        }
    }
}

private struct Tokens: Sendable {
    func current() async throws -> String { "secret" }
}
