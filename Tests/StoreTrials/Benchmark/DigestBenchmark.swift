internal import CalotypeDigests

/// What the disk cache reckons for each value.
enum DigestBenchmark {
    static func run() async throws {
        let key = [UInt8](repeating: 7, count: 200)
        let digest = try measure(200_000) { _ = try Digest(.sha256, of: key) }
        Figures.line("SHA-256 of 200 bytes", Figures.microseconds(digest), goal: "about 1 µs")
        let value = [UInt8](repeating: 7, count: 20 << 10)
        let checksum = measure(50_000) { _ = CRC32C.of(value) }
        Figures.line("CRC32C of 20 KiB", Figures.microseconds(checksum))
        let portable = measure(5_000) {
            var checksum = CRC32C(method: .portable)
            checksum.update(value)
        }
        Figures.line("CRC32C of 20 KiB with tables", Figures.microseconds(portable))
    }

    private static func measure(_ count: Int, _ body: () throws -> Void) rethrows -> Duration {
        try ContinuousClock().measure { for _ in 0..<count { try body() } } / count
    }
}
