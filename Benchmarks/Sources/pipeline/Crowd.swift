import Calotype
import CalotypeCodec
import CalotypeOrigin
import Synchronization

/// Many callers of one URL at the same moment, over a real connection to the loopback origin.
enum Crowd {
    static let callers = 10_000
    static let rounds = 5

    static func run() async throws {
        let bytes = try await withImageCodec { codec in
            try await codec.encode(Photo.draw(2400, 1600), as: .jpeg(quality: 85))
        }
        var (alone, together): ([Duration], [Duration]) = ([], [])
        try await withOrigin(OriginConfiguration(pictures: PicturesInMemory(["photo.jpg": bytes]))) {
            origin in
            for round in 0..<rounds {
                alone.append(try await load(origin, "/latency/100/photo.jpg?a\(round)", callers: 1))
                together.append(try await load(origin, "/latency/100/photo.jpg?b\(round)", callers: callers))
            }
            precondition(origin.statistics.requests == 2 * rounds, "more than one request")
        }
        let (single, crowd) = (alone.sorted()[rounds / 2], together.sorted()[rounds / 2])
        print("  a single load: \(Figures.milliseconds(single)); one request and one decode in each round")
        Figures.line(
            "\(callers) at once",
            Figures.milliseconds(crowd),
            goal: "at most \(Figures.milliseconds(single * 1.5 + .milliseconds(150)))"
        )
    }

    private static func load(_ origin: Origin, _ path: String, callers: Int) async throws -> Duration {
        let decodes = Counter()
        var configuration = PipelineConfiguration()
        configuration.observer = { if case .decoding = $0.kind { decodes.add() } }
        let time = try await withImagePipeline(configuration) { pipeline in
            let request = ImageRequest(origin.url(path), .fit(256, 256))
            return try await ContinuousClock().measure {
                try await withThrowingTaskGroup { group in
                    for _ in 0..<callers {
                        group.addTask { _ = try await pipeline.rendition(for: request) }
                    }
                    try await group.waitForAll()
                }
            }
        }
        precondition(decodes.count == 1, "\(decodes.count) decodes")
        return time
    }
}

final class Counter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }

    func add() {
        value.add(1, ordering: .relaxed)
    }
}
