public import CalotypeCore
internal import TaskFlow

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
        let now = now()
        let removed = state.withLock { state in
            let goal = goal(state.list.totalCost)
            let expired = state.list.removeExpired(now)
            return expired + state.trim(bytes: goal.bytes, count: goal.count)
        }
        withExtendedLifetime(removed) {}
    }
}
