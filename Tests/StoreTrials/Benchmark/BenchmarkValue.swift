internal import CalotypeStore

/// Values of 20 KiB for benchmarks.
enum BenchmarkValue {
    static let length = 20 << 10
    private static let entry = StoredEntry(
        metadata: [UInt8](repeating: UInt8(ascii: "m"), count: 200),
        bytes: (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    )

    static func key(_ number: Int) -> StoreKey {
        StoreKey(
            "https://pictures.example/photos/\(number).jpg fit 256x256 cover jpeg 82 accept image/webp,image/jpeg"
        )
    }

    /// An entry of its own, so that a store that shares memory has no advantage.
    static func entry(_ number: Int) -> StoredEntry {
        var entry = entry
        for byte in 0..<4 { entry.bytes[byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
        return entry
    }

    /// Stores entries of the given numbers, no faster than the disk takes them.
    static func store(_ numbers: Range<Int>, in cache: DiskCache) async throws {
        for number in numbers {
            _ = try await cache.store(entry(number), for: key(number))
            if number % 1000 == 999 { try await cache.flush() }
        }
        try await cache.flush()
    }
}
