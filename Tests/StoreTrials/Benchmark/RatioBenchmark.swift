internal import CalotypeCore

/// 600,000 requests for 200,000 objects by Zipf's law, and for others that are asked for only once.
enum RatioBenchmark {
    private static let objects = 200_000
    private static let requests = 600_000

    private static var mixes: [(name: String, share: Double, mix: ZipfMix, goal: String?)] {
        [
            ("1 % of the objects", 0.01, ZipfMix(objects: objects, seed: 1), "5 points more"),
            (
                "1 %, 30 % of the requests for objects asked for once", 0.01,
                ZipfMix(objects: objects, onceShare: 0.3, seed: 2), "5 points more"
            ),
            (
                "10 %, the same and scans of 10,000", 0.1,
                ZipfMix(objects: objects, onceShare: 0.3, scanLength: 10_000, scanPeriod: 100_000, seed: 3),
                "5 points more"
            ),
        ]
    }

    static func run() async throws {
        for mix in mixes {
            for isSized in [false, true] {
                let bytes = isSized ? size(of:) : { _ in 20_480 }
                let mean = isSized ? meanSize : 20_480
                let capacity = ByteCount(Int(Double(objects * mean) * mix.share))
                let queue = ratio(SimulatedQueue(capacity: capacity), mix.mix, bytes)
                let recency = ratio(SimulatedRecency(capacity: capacity), mix.mix, bytes)
                Figures.line(
                    "\(mix.name), \(isSized ? "2 to 60 KiB each" : "20 KiB each")",
                    "\(percent(queue)), LRU \(percent(recency)), \(Figures.fixed((queue - recency) * 100, 1)) points more",
                    goal: mix.goal
                )
            }
        }
    }

    private static func ratio(
        _ cache: some SimulatedCache,
        _ mix: ZipfMix,
        _ bytes: (UInt64) -> Int
    ) -> Double {
        var (cache, mix) = (cache, mix)
        let hits = (0..<requests).count { _ in
            let key = mix.next()
            return cache.request(key, bytes: bytes(key))
        }
        return Double(hits) / Double(requests)
    }

    private static let meanSize = 31 << 10

    /// From 2 to 60 KiB, by the key.
    private static func size(of key: UInt64) -> Int { (2 << 10) + Int((key >> 20) % (58 << 10)) }

    private static func percent(_ share: Double) -> String { Figures.fixed(share * 100, 2) + " %" }
}
