internal import CalotypeCore
internal import CalotypeStore

/// Values that are new: into an empty cache, and into a full one, where each pushes out another.
enum PutBenchmark {
    private static let count = 10_000

    static func run() async throws {
        let folder = try TrialFolder("stores")
        var configuration = DiskCacheConfiguration(folder: folder.path)
        configuration.limit = ByteCount(count * (BenchmarkValue.length + 1000))
        try await withDiskCache(configuration) { cache in
            for round in 0..<3 {
                let processor = Figures.processorTime()
                let wall = try await ContinuousClock().measure {
                    try await BenchmarkValue.store(round * count..<(round + 1) * count, in: cache)
                }
                let used = Figures.processorTime() - processor
                precondition(cache.snapshot.dropped == 0, "\(cache.snapshot.dropped) were dropped")
                Figures.line(
                    round == 0 ? "stores a second, while there is room" : "stores a second, with evictions",
                    "\(Int(Double(count) / (wall / .seconds(1)))), \(Figures.microseconds(used / count)) of processor time each",
                    goal: "at least 5000"
                )
            }
            Figures.line(
                "index and log, beyond the values in them",
                Figures.megabytes(StoredFolder.indexBytes(folder.path) - cache.snapshot.bytes.bytes),
                goal: "at most 64 MiB"
            )
        }
    }
}
