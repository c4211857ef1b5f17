import Calotype
import CalotypeCodec
import CalotypeHTTP
import CalotypeTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct BoundingPipelineSnippets {
    private let url = "http://photos.test/1.jpg"

    private func serve(_ pipeline: ImagePipeline) async throws {}

    @Test func `limits of a pipeline`() async throws {
        // snippet: Bounding.configuration
        var configuration = PipelineConfiguration()
        configuration.connections = 128
        configuration.connectionsPerHost = 16
        configuration.codec.memory = .mebibytes(256)
        configuration.memoryCache = MemoryCacheLimits(bytes: .mebibytes(32), count: 1000)

        try await withImagePipeline(configuration) { pipeline in
            try await serve(pipeline)
        }
        // end
    }

    @Test func `memory that is short`() async throws {
        func log(_ text: String) {}
        func serve(_ avatars: MemoryCache<String, Bitmap>) async throws {}
        // snippet: Bounding.memory
        let limits = MemoryCacheLimits(
            bytes: .mebibytes(16),
            entryBytes: .mebibytes(1),
            timeToLive: .seconds(600)
        )
        let avatars = MemoryCache<String, Bitmap>(limits: limits) { ByteCount($0.rgba.count) }

        try await withMemoryPressure {
            avatars.trim(toFraction: 0.5)
        } during: { pressure in
            if !pressure.isWatched { log("shortages of memory are not told here") }
            try await serve(avatars)
        }
        // end
        #expect(avatars.snapshot.count == 0)
    }

    @Test func `limits of a request`() async throws {
        // snippet: Bounding.request
        var request = ImageRequest(url, .fit(256, 256))
        request.limits.sourceBytes = .mebibytes(10)
        request.limits.pixels = 40_000_000
        // end
        let small = request
        try await withSamplePipeline { pipeline, transport in
            try transport.answer(
                url,
                with: .bytes(TinyPicture.webp(PixelSize(width: 16_000, height: 16_000)))
            )
            let error = await #expect(throws: CalotypeError.self) { try await pipeline.rendition(for: small) }
            #expect(error?.code == .tooManyPixels)
        }
    }

    @Test func `addresses that strangers give`() async throws {
        // snippet: Bounding.addresses
        var configuration = PipelineConfiguration()
        configuration.addressPolicy = .publicOnly
        // end
        try await withSamplePipeline(configuration) { pipeline, _ in
            let request = ImageRequest("http://127.0.0.1/1.jpg")
            let error = await #expect(throws: CalotypeError.self) {
                try await pipeline.rendition(for: request)
            }
            #expect(error?.code == .blockedAddress)
        }
    }

    @Test func `origins that may be asked`() async throws {
        var configuration = PipelineConfiguration()
        // snippet: Bounding.origins
        configuration.acceptsURL = { $0.host == "images.example.com" }
        // end
        try await withSamplePipeline(configuration) { pipeline, _ in
            let request = ImageRequest("http://example.com/1.jpg")
            let error = await #expect(throws: CalotypeError.self) {
                try await pipeline.rendition(for: request)
            }
            #expect(error?.code == .blockedSource)
        }
    }

    @Test func `priorities`() {
        // snippet: Bounding.priority
        let thumbnail = ImageRequest(url, .fill(120, 120), priority: .high)
        let later = ImageRequest(url, .fit(1600, 1600), priority: .low)
        // end
        #expect(later.priority < thumbnail.priority)
    }

    @Test func `an observer`() async throws {
        let metrics = Metrics()
        // snippet: Bounding.observer
        var configuration = PipelineConfiguration()
        configuration.observer = { event in
            if case .failed(let code) = event.kind { metrics.count("failed", code.rawValue) }
        }
        // end
        try await withSamplePipeline(configuration) { pipeline, transport in
            try transport.answer(url, with: .status(404))
            _ = await #expect(throws: CalotypeError.self) {
                try await pipeline.rendition(for: ImageRequest(url))
            }
        }
        #expect(metrics.counted.values == ["failed http_404"])
    }
}

private struct Metrics: Sendable {
    let counted = Recorder<String>()

    func count(_ name: String, _ label: String) { counted.record("\(name) \(label)") }
}
