public import CalotypeCore

/// How much a memory cache keeps at most.
public struct MemoryCacheLimits: Hashable, Sendable {
    /// The cost of all entries together, 64 MiB by default; an entry that costs more than this is refused.
    public var bytes: ByteCount
    /// The number of entries, 500 by default.
    public var count: Int

    /// Creates limits; zero or less of either keeps nothing.
    public init(bytes: ByteCount = .mebibytes(64), count: Int = 500) {
        self.bytes = bytes
        self.count = count
    }

    /// Limits under which nothing is kept.
    public static let none = MemoryCacheLimits(bytes: ByteCount(0), count: 0)

    func admits(_ cost: ByteCount) -> Bool {
        count > 0 && bytes.bytes > 0 && cost <= bytes
    }
}
