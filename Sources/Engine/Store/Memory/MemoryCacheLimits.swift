public import CalotypeCore

/// How much a memory cache keeps at most, and for how long.
public struct MemoryCacheLimits: Hashable, Sendable {
    /// The cost of all entries together, 64 MiB by default.
    public var bytes: ByteCount
    /// The number of entries, 500 by default.
    public var count: Int
    /// The cost of one entry, above which it is refused; a quarter of ``bytes`` when `nil`, the default, so that one large
    /// value does not push out all others.
    public var entryBytes: ByteCount?
    /// How long a value is given out after it was stored; for ever when `nil`, the default.
    ///
    /// A change holds for values that are stored after it.
    public var timeToLive: Duration?

    /// Creates limits; zero or less of any keeps nothing.
    public init(
        bytes: ByteCount = .mebibytes(64),
        count: Int = 500,
        entryBytes: ByteCount? = nil,
        timeToLive: Duration? = nil
    ) {
        self.bytes = bytes
        self.count = count
        self.entryBytes = entryBytes
        self.timeToLive = timeToLive
    }

    /// Limits under which nothing is kept.
    public static let none = MemoryCacheLimits(bytes: ByteCount(0), count: 0)

    /// The most that one entry may cost.
    var admittedBytes: Int {
        min(entryBytes?.bytes ?? bytes.bytes / 4, bytes.bytes)
    }

    func admits(_ cost: Int) -> Bool {
        count > 0 && admittedBytes > 0 && cost <= admittedBytes
    }
}
