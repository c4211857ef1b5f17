public import CalotypeCore
internal import TaskFlow

/// The maximum size of a memory cache, and how long values last.
public struct MemoryCacheLimits: Hashable, Sendable {
    /// The maximum cost of all entries together, 64 MiB by default.
    public var bytes: ByteCount
    /// The maximum number of entries, 500 by default.
    public var count: Int
    /// The maximum cost of one entry; a quarter of ``bytes`` when `nil`, the default.
    ///
    /// It keeps one large value from pushing out all others.
    public var entryBytes: ByteCount?
    /// How long a value is valid after it was stored; for ever when `nil`, the default.
    ///
    /// A change applies to values that are stored after it.
    public var timeToLive: Duration?

    /// Creates limits; with zero or less of any, nothing is stored.
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

    /// Limits under which nothing is stored.
    public static let none = MemoryCacheLimits(bytes: ByteCount(0), count: 0)

    /// The maximum cost of one entry.
    var admittedBytes: Int {
        min(entryBytes?.bytes ?? bytes.bytes / 4, bytes.bytes)
    }

    func admits(_ cost: Int) -> Bool {
        count > 0 && admittedBytes > 0 && cost <= admittedBytes
    }
}

extension MemoryCache {
    /// The limits of the cache; entries beyond lower limits are removed immediately.
    ///
    /// Setting them takes time for every entry.
    public var limits: MemoryCacheLimits {
        get { state.withLock { $0.limits } }
        set {
            let removed = state.withLock { state in
                state.limits = newValue
                let most = newValue.admits(0) ? newValue.admittedBytes : -1
                let tooLarge = state.list.removeAll(costingMoreThan: most)
                return tooLarge + state.applyLimits()
            }
            withExtendedLifetime(removed) {}
        }
    }

    /// Removes expired entries, then the least recently used until the rest costs at most `bytes`; the limits
    /// stay.
    public func trim(toBytes bytes: ByteCount) {
        trim { _ in (bytes.bytes, .max) }
    }

    /// Removes expired entries, then the least recently used until at most `count` are left; the limits stay.
    public func trim(toCount count: Int) {
        trim { _ in (.max, count) }
    }

    /// Trims the entries to a fraction, 0 to 1, of their total cost; the limits stay.
    ///
    /// Removes expired entries first, then the least recently used.
    public func trim(toFraction fraction: Double) {
        let fraction = fraction > 0 ? min(fraction, 1) : 0
        trim { cost in (Int(Double(cost) * fraction), .max) }
    }

    /// Removes expired entries; takes time for every entry.
    public func removeExpired() {
        trim { _ in (.max, .max) }
    }

    /// Trims to the goal that `goal` computes from the cost of all entries, and releases values outside the
    /// lock.
    private func trim(to goal: (Int) -> (bytes: Int, count: Int)) {
        let now = stopwatch.now
        let removed = state.withLock { state in
            let goal = goal(state.list.totalCost)
            let expired = state.list.removeExpired(now)
            return expired + state.trim(bytes: goal.bytes, count: goal.count)
        }
        withExtendedLifetime(removed) {}
    }
}
