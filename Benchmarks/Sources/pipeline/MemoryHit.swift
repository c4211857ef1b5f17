import Calotype
import CalotypeTestKit

/// A rendition that the memory cache has.
enum MemoryHit {
    static let hits = 20_000

    static func run() async throws {
        let transport = ScriptedTransport(otherwise: .bytes(TinyPicture.jpeg()))
        var configuration = PipelineConfiguration()
        configuration.exchange = transport
        try await withImagePipeline(configuration) { pipeline in
            let request = ImageRequest("http://pictures.example/icon.jpg", .fit(256, 256))
            _ = try await pipeline.rendition(for: request)
            var rounds: [Duration] = []
            for _ in 0..<5 {
                rounds.append(
                    try await ContinuousClock().measure {
                        for _ in 0..<hits { _ = try await pipeline.rendition(for: request) }
                    }
                )
            }
            rounds.sort()
            precondition(pipeline.memoryCache.hits >= 5 * hits)
            Figures.line("one hit", Figures.microseconds(rounds[2] / hits), goal: "at most 10 µs")
        }
    }
}
