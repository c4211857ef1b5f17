import Calotype
import CalotypeTestKit

/// Requests that cost next to nothing by themselves: tiny pictures from a scripted transport, not decoded.
enum Flood {
    static let workers = 64

    static func run() async throws {
        let transport = ScriptedTransport(otherwise: .bytes(TinyPicture.png()), keptRequests: 0)
        var configuration = PipelineConfiguration()
        configuration.exchange = transport
        configuration.connectionsPerHost = workers
        try await withImagePipeline(configuration) { pipeline in
            _ = try await load(10_000, from: -10_000, pipeline)
            var rates: [Double] = []
            for round in 0..<5 {
                let time = try await load(20_000, from: round * 20_000, pipeline)
                rates.append(20_000 / (time / .seconds(1)))
            }
            let resident = Figures.residentMegabytes()
            Figures.line(
                "100,000 requests",
                "\(Int(rates.sorted()[2])) a second",
                goal: "at least 50,000"
            )
            _ = try await load(900_000, from: 100_000, pipeline)
            let growth = Figures.residentMegabytes() - resident
            Figures.line(
                "memory after 1,000,000",
                "\(Figures.fixed(resident, 1)) MB and \(Figures.fixed(growth, 1)) MB more than after 100,000",
                goal: "at most 8 MB more"
            )
            precondition(transport.statistics.requests == 1_010_000)
        }
    }

    private static func load(
        _ count: Int,
        from first: Int,
        _ pipeline: ImagePipeline
    ) async throws -> Duration {
        try await ContinuousClock().measure {
            try await withThrowingTaskGroup { group in
                for worker in 0..<workers {
                    group.addTask {
                        for index in stride(from: worker, to: count, by: workers) {
                            let request = ImageRequest("http://pictures.example/\(first + index).png")
                            _ = try await pipeline.data(for: request)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
