import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeOrigin
import CalotypeSamplePictures

/// How long it takes from the cancel of 1,000 loads until nothing of them is left.
///
/// The loads are in every stage when they are cancelled: connecting, waiting for an answer, receiving, decoding. The
/// end is when the pipeline's scope has returned: no task, thread, socket, file or permit is left then.
@main
enum Cancel {
    static let loads = 1000
    static let rounds = 20

    static func main() async throws {
        var times: [Duration] = []
        try await withImageCodec { codec in
            let collection = SampleCollection(count: 40, seed: 7, megapixels: 0.5...4)
            try await withSampleRenderer(collection, codec: codec) { renderer in
                try await renderer.renderAll()
                try await withOrigin(OriginConfiguration(pictures: DrawnPictures(renderer))) { origin in
                    for round in 0..<rounds {
                        // A different moment each time: from 20 ms to 1 s into the run.
                        times.append(try await measure(origin, after: .milliseconds(20 + round * 50)))
                        let left = try await origin.statistics { $0.openConnections == 0 }
                        precondition(left.openConnections == 0)
                    }
                }
            }
        }
        times.sort()
        print("cancel of \(loads) loads to quiet, \(rounds) rounds:")
        print("  median \(milliseconds(times[rounds / 2])) ms, worst \(milliseconds(times[rounds - 1])) ms")
    }

    private static func measure(_ origin: Origin, after pause: Duration) async throws -> Duration {
        var configuration = PipelineConfiguration()
        configuration.connections = 1000
        configuration.connectionsPerHost = 1000
        let names = SampleCollection(count: 40, seed: 7, megapixels: 0.5...4).specs.map(\.name)
        let requests = (0..<loads).map { index in
            let path =
                index % 4 == 0 ? "/hang?\(index)" : "/latency/\(index % 400)/\(names[index % 40])?\(index)"
            return ImageRequest(origin.url(path), .fit(256, 256))
        }
        let run = Task {
            try await withImagePipeline(configuration) { pipeline in
                for await _ in pipeline.renditions(for: requests, limit: loads) {}
                return ContinuousClock.now
            }
        }
        try await Task.sleep(for: pause)
        let start = ContinuousClock.now
        run.cancel()
        _ = await run.result
        return start.duration(to: .now)
    }

    private static func milliseconds(_ duration: Duration) -> String {
        "\(duration / .milliseconds(1))".prefix(6).description
    }
}
