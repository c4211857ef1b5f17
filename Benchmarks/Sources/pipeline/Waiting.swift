import Calotype
import CalotypeOrigin
import CalotypePlatform

/// The memory of loads that only wait: an origin that never answers, and far more loads than connections.
enum Waiting {
    static let loads = 10_000
    /// Enough for the limit of each host to apply, and not only the total.
    static let hosts = 20

    static func run() async throws {
        try await withOrigins(hosts) { origins in
            try await withImagePipeline { pipeline in
                let before = Figures.residentMegabytes()
                let group = Task {
                    try await withThrowingTaskGroup { group in
                        for number in 0..<loads {
                            let url = origins[number % hosts].url("/hang?\(number)")
                            group.addTask {
                                _ = try await pipeline.rendition(for: ImageRequest(url, .fit(256, 256)))
                            }
                        }
                        try await group.waitForAll()
                    }
                }
                // All but those that have a connection.
                while pipeline.snapshot.waitingForConnections < loads - PipelineConfiguration().connections {
                    try await Task.sleep(for: .milliseconds(20))
                }
                try await Task.sleep(for: .milliseconds(500))
                let during = Figures.residentMegabytes()
                group.cancel()
                _ = await group.result
                while !pipeline.snapshot.isQuiet { try await Task.sleep(for: .milliseconds(20)) }
                try await Task.sleep(for: .milliseconds(500))
                let after = Figures.residentMegabytes()
                Figures.line(
                    "\(loads) loads that wait",
                    "\(Figures.fixed((during - before) * 1000 / Double(loads), 1)) KB each, "
                        + "\(Figures.fixed(during, 0)) MB resident, "
                        + "\(Figures.fixed(after, 0)) MB after they were cancelled",
                    goal: "6 KB each, 100 MB"
                )
            }
        }
    }

    /// Runs `body` with that many origins, each a host of its own.
    private static func withOrigins(
        _ count: Int,
        and others: [Origin] = [],
        _ body: @escaping ([Origin]) async throws -> Void
    ) async throws {
        guard count > 0 else { return try await body(others) }
        try await withOrigin(OriginConfiguration(pictures: PicturesInMemory([:]))) { origin in
            try await withOrigins(count - 1, and: others + [origin], body)
        }
    }
}
