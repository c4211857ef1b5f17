public import CalotypeCore
internal import TaskFlow

/// Values in memory, bounded by their cost and their number; the least recently used goes first.
///
/// Looking up and storing take constant time under one lock. Values are let go outside it, because freeing a large one
/// takes time and may run code of its own. A value that has expired is no longer given out; it takes its room until it
/// is looked up, pushed out or trimmed.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Storing {
    struct State {
        var list = RecencyList<Key, Value>()
        var limits: MemoryCacheLimits
        var hits = 0
        var misses = 0

        /// Removes the least recently used down to `bytes` and `count`, and returns what was removed.
        mutating func trim(bytes: Int = .max, count: Int = .max) -> [Value] {
            var removed: [Value] = []
            while list.count > count || list.totalCost > bytes {
                guard let value = list.removeOldest() else { break }
                removed.append(value)
            }
            return removed
        }

        /// Removes what the limits do not allow, and returns it.
        mutating func applyLimits() -> [Value] {
            trim(bytes: limits.bytes.bytes, count: limits.count)
        }
    }

    private let cost: @Sendable (Value) -> ByteCount
    private let family: (@Sendable (Key) -> Int?)?
    /// The time since the cache was made.
    let stopwatch: Stopwatch
    let state: Guarded<State>

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - limits: How much it keeps, and for how long.
    ///   - clock: What measures how long. It is read only where a value can expire.
    ///   - cost: What a value costs, usually its bytes; negative counts as zero. It is asked once for each value stored,
    ///     outside the lock.
    public convenience init(
        limits: MemoryCacheLimits = MemoryCacheLimits(),
        clock: any Clock<Duration> = ContinuousClock(),
        cost: @escaping @Sendable (Value) -> ByteCount
    ) {
        self.init(limits: limits, clock: clock, cost: cost, family: nil)
    }

    /// Creates an empty cache that also finds values by what their keys have in common: equal families.
    package init(
        limits: MemoryCacheLimits,
        clock: any Clock<Duration>,
        cost: @escaping @Sendable (Value) -> ByteCount,
        family: (@Sendable (Key) -> Int?)?
    ) {
        self.cost = cost
        self.family = family
        stopwatch = Stopwatch(clock)
        state = Guarded(State(limits: limits))
    }

    /// What the cache holds now, and its hits and misses so far.
    public var snapshot: MemoryCacheSnapshot {
        state.withLock { state in
            MemoryCacheSnapshot(
                count: state.list.count,
                bytes: ByteCount(state.list.totalCost),
                hits: state.hits,
                misses: state.misses
            )
        }
    }

    /// Looks up the value of `key`, and counts that as a use.
    public func value(for key: Key) -> Value? {
        var expired: Value?
        return state.withLock { state in
            let value = state.list.use(key, stopwatch, &expired)
            if value == nil { state.misses += 1 } else { state.hits += 1 }
            return value
        }
    }

    /// Looks up the value of `key` once more for the same use, which is neither a hit nor a miss of its own.
    package func valueAgain(for key: Key) -> Value? {
        var expired: Value?
        return state.withLock { $0.list.use(key, stopwatch, &expired) }
    }

    /// Looks up the value of another key after a look-up that missed, which then is a hit after all.
    package func valueInstead(for key: Key) -> Value? {
        var expired: Value?
        return state.withLock { state in
            let value = state.list.use(key, stopwatch, &expired)
            if value != nil { (state.hits, state.misses) = (state.hits + 1, state.misses - 1) }
            return value
        }
    }

    /// The entries of a family, none of which counts as used.
    package func members(of family: Int) -> [(key: Key, value: Value)] {
        state.withLock { $0.list.members(of: family) }
    }

    /// Stores `value`, unless there is one for `key` already, which then stays; both count as a use.
    ///
    /// A value that costs more than one entry may cost is not kept, and pushes nothing out.
    ///
    /// - Returns: The value that was there first, otherwise `value`.
    @discardableResult
    public func store(_ value: Value, for key: Key) -> Value {
        store(value, for: key, lasting: nil)
    }

    /// Stores `value` for `timeToLive`, in place of ``MemoryCacheLimits/timeToLive``, unless there is one for `key` already.
    ///
    /// - Returns: The value that was there first, which then stays as it is; otherwise `value`.
    @discardableResult
    public func store(_ value: Value, for key: Key, timeToLive: Duration) -> Value {
        store(value, for: key, lasting: timeToLive)
    }

    /// Stores `value` in place of the one for `key`, if there is one.
    ///
    /// A value that costs more than one entry may cost is not kept; the old one goes all the same.
    public func replaceValue(_ value: Value, for key: Key) {
        replaceValue(value, for: key, lasting: nil)
    }

    /// Stores `value` for `timeToLive`, in place of ``MemoryCacheLimits/timeToLive`` and of the value there is for `key`.
    public func replaceValue(_ value: Value, for key: Key, timeToLive: Duration) {
        replaceValue(value, for: key, lasting: timeToLive)
    }

    /// Forgets the value of `key`, if there is one.
    public func removeValue(for key: Key) {
        let removed = state.withLock { $0.list.remove(key) }
        withExtendedLifetime(removed) {}
    }

    /// Forgets the entries of a family.
    package func removeMembers(of family: Int) {
        let removed = state.withLock { state in
            state.list.members(of: family).compactMap { state.list.remove($0.key) }
        }
        withExtendedLifetime(removed) {}
    }

    /// Forgets all values; hits and misses are counted on.
    public func removeAll() {
        let removed = state.withLock { state in
            let list = state.list
            state.list = RecencyList()
            return list
        }
        withExtendedLifetime(removed) {}
    }
}

// MARK: - Storing

extension MemoryCache {
    private func store(_ value: Value, for key: Key, lasting timeToLive: Duration?) -> Value {
        let (cost, family) = (max(cost(value).bytes, 0), family?(key))
        var expired: Value?
        let (first, removed) = state.withLock { state in
            let first = state.list.use(key, stopwatch, &expired)
            let removed = first == nil ? insert(value, key, cost, timeToLive, family, &state) : []
            return (first, removed)
        }
        withExtendedLifetime(removed) {}
        return first ?? value
    }

    private func replaceValue(_ value: Value, for key: Key, lasting timeToLive: Duration?) {
        let (cost, family) = (max(cost(value).bytes, 0), family?(key))
        let removed = state.withLock { state in
            let old = state.list.remove(key)
            let removed = insert(value, key, cost, timeToLive, family, &state)
            return if let old { [old] + removed } else { removed }
        }
        withExtendedLifetime(removed) {}
    }

    private func insert(
        _ value: Value,
        _ key: Key,
        _ cost: Int,
        _ timeToLive: Duration?,
        _ family: Int?,
        _ state: inout State
    ) -> [Value] {
        let lifetime = timeToLive ?? state.limits.timeToLive
        guard state.limits.admits(cost), lifetime.map({ $0 > .zero }) ?? true else { return [] }
        let expiry = lifetime.map { stopwatch.now + $0 }
        state.list.insert(value, for: key, cost: cost, expiry: expiry, family: family)
        return state.applyLimits()
    }
}

/// What a memory cache holds, and how often it helped.
public struct MemoryCacheSnapshot: Hashable, Sendable {
    /// The number of entries.
    public var count: Int
    /// What the entries cost together.
    public var bytes: ByteCount
    /// The look-ups that found a value.
    public var hits: Int
    /// The look-ups that found none.
    public var misses: Int
}
