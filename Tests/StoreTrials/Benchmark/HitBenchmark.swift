internal import CalotypeStore
internal import TaskFlow

/// Look-ups of values that are there and that the system has in memory.
enum HitBenchmark {
    private static let entries = 5_000
    private static let hits = 100_000

    static func run() async throws {
        let folder = try TrialFolder("hits")
        let configuration = DiskCacheConfiguration(folder: folder.path)
        try await withDiskCache(configuration) { cache in
            try await BenchmarkValue.store(0..<entries, in: cache)
        }
        for lanes in [1, 2, 8] {
            try await withDiskCache(configuration) { cache in
                _ = try await read(cache, lanes: lanes, count: entries)
                let processor = Figures.processorTime()
                let start = ContinuousClock.now
                let times = try await read(cache, lanes: lanes, count: hits).sorted()
                let wall = start.duration(to: .now)
                let used = Figures.processorTime() - processor
                precondition(cache.snapshot.misses == 0, "\(cache.snapshot.misses) misses")
                report(lanes, times, wall: wall, processor: used)
            }
        }
    }

    private static func report(_ lanes: Int, _ times: [Duration], wall: Duration, processor: Duration) {
        let callers = lanes == 1 ? "one caller" : "\(lanes) callers"
        Figures.line(
            "\(callers), hits a second and core",
            "\(Int(Double(hits) / (processor / .seconds(1)))) (\(Int(Double(hits) / (wall / .seconds(1)))) a second)",
            goal: "at least 15000"
        )
        Figures.line(
            "\(callers), the median and the 99th percentile",
            "\(Figures.microseconds(Figures.percentile(0.5, of: times))) and "
                + Figures.microseconds(Figures.percentile(0.99, of: times)),
            goal: "60 and 500 µs"
        )
    }

    private static func read(_ cache: DiskCache, lanes: Int, count: Int) async throws -> [Duration] {
        try await withThrowingTaskGroup { group in
            for lane in 0..<lanes {
                group.addTask {
                    var random = SplitMix64(seed: UInt64(lane))
                    var times: [Duration] = []
                    times.reserveCapacity(count / lanes)
                    for _ in 0..<count / lanes {
                        let number = Int(random.next() % UInt64(entries))
                        let key = BenchmarkValue.key(number)
                        let start = ContinuousClock.now
                        let entry = try await cache.value(for: key)
                        times.append(start.duration(to: .now))
                        precondition(entry?.bytes.count == BenchmarkValue.length, "no value for \(number)")
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}
