public import CalotypeCore
internal import TaskFlow

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

extension MemoryCache {
    /// How much the cache keeps; what lower limits do not allow any more goes at once.
    ///
    /// To set them takes time for every entry.
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

    /// Forgets what has expired, then the least recently used until the rest costs at most `bytes`; the limits stay.
    public func trim(toBytes bytes: ByteCount) {
        trim { _ in (bytes.bytes, .max) }
    }

    /// Forgets what has expired, then the least recently used until at most `count` are left; the limits stay.
    public func trim(toCount count: Int) {
        trim { _ in (.max, count) }
    }

    /// Forgets what has expired, then the least recently used until the rest costs at most `fraction`, 0 to 1, of what all
    /// entries cost before; the limits stay.
    public func trim(toFraction fraction: Double) {
        let fraction = fraction > 0 ? min(fraction, 1) : 0
        trim { cost in (Int(Double(cost) * fraction), .max) }
    }

    /// Forgets what has expired; takes time for every entry.
    public func removeExpired() {
        trim { _ in (.max, .max) }
    }

    /// Trims to what `goal` makes of the cost of all entries, and lets go of values outside the lock.
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
