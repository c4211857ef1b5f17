import Calotype
import CalotypeOrigin
import Glibc

/// The memory of loads that only wait: an origin that never answers, and far more loads than connections.
enum Waiting {
    static let loads = 10_000
    static let hosts = 20

    static func run() async throws {
        try await withOrigin(OriginConfiguration(pictures: PicturesInMemory([:]))) { origin in
            try await withImagePipeline { pipeline in
                let before = Figures.residentMegabytes()
                let group = Task {
                    try await withThrowingTaskGroup { group in
                        for number in 0..<loads {
                            // Names of loopback, so that the limit of each host applies, and not only the total.
                            let url = origin.url("/hang?\(number)")
                                .replacing("127.0.0.1", with: "127.0.0.\(1 + number % hosts)")
                            group.addTask {
                                _ = try await pipeline.rendition(for: ImageRequest(url, .fit(256, 256)))
                            }
                        }
                        try await group.waitForAll()
                    }
                }
                while pipeline.snapshot.sourceFlights < loads { try await Task.sleep(for: .milliseconds(20)) }
                try await Task.sleep(for: .milliseconds(500))
                let during = Figures.residentMegabytes()
                group.cancel()
                _ = await group.result
                while pipeline.snapshot != PipelineSnapshot() { try await Task.sleep(for: .milliseconds(20)) }
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
}
