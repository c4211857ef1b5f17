import Calotype
import CalotypeCodec

/// From the cancel of a decode until its pipeline is quiet: a baseline JPEG of 50 megapixels, which works row by row.
enum DecodeCancel {
    static let rounds = 20

    static func run() async throws {
        let bytes = try await withImageCodec { codec in
            try await codec.encode(Photo.draw(8660, 5773), as: .jpeg(quality: 85))
        }
        var times: [Duration] = []
        for round in 0..<rounds {
            let pipeline = Task {
                try await withImagePipeline { pipeline in
                    _ = try await pipeline.rendition(for: ImageRequest(.bytes(bytes), .fit(2000, 2000)))
                }
            }
            try await Task.sleep(for: .milliseconds(20 + 5 * round))
            let start = ContinuousClock.now
            pipeline.cancel()
            _ = await pipeline.result
            times.append(start.duration(to: .now))
        }
        times.sort()
        Figures.line("median", Figures.milliseconds(times[rounds / 2]), goal: "at most 20 ms")
        Figures.line("worst of \(rounds)", Figures.milliseconds(times[rounds - 1]), goal: "at most 20 ms")
    }
}
