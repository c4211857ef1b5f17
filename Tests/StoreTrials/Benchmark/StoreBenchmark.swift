/// Measures the disk cache and its parts.
package enum StoreBenchmark {
    private static let parts: [(name: String, purpose: String, run: @Sendable () async throws -> Void)] = [
        (
            "ratio", "hits of each hundred requests: S3-FIFO, as the disk cache has it, beside LRU",
            RatioBenchmark.run
        ),
        ("digest", "digests and checksums", DigestBenchmark.run),
        ("hit", "values of 20 KiB that are there", HitBenchmark.run),
        ("store", "values of 20 KiB that are new, until they are on the disk", PutBenchmark.run),
        ("open", "a cache of a million entries", OpenBenchmark.run),
    ]

    /// Runs the named parts, or all.
    package static func run(_ names: [String]) async throws {
        guard names.allSatisfy(parts.map(\.name).contains) else {
            print("usage: script/bench store [PART...]")
            for part in parts { print("  \(part.name): \(part.purpose)") }
            return
        }
        for part in parts where names.isEmpty || names.contains(part.name) {
            print("\(part.name): \(part.purpose)")
            try await part.run()
        }
    }
}
