public import CalotypeCore
public import TaskFlow

/// Values in memory, with limits for their cost and their number; the least recently used is removed first.
///
/// Reading and storing take constant time under one lock. Values are released outside it, because freeing a
/// large one takes time and may run its own code. An expired value is no longer returned; it takes up room
/// until it is looked up, pushed out or trimmed.
///
/// Look-ups are inlined, because otherwise generic code looks up its types each time: every response from memory
/// needs one.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Storing {
    @usableFromInline
    struct State: Sendable {
        @usableFromInline var list = RecencyList<Key, Value>()
        var limits: MemoryCacheLimits
        @usableFromInline var hits = 0
        @usableFromInline var misses = 0

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
    /// The time since the cache was created.
    @usableFromInline let stopwatch: Stopwatch
    @usableFromInline let state: Guarded<State>

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - limits: How much it stores, and for how long.
    ///   - clock: The clock that measures how long. It is read only if a value can expire.
    ///   - cost: Returns the cost of a value, usually its bytes; negative counts as zero. It is called once
    ///     for each stored value, outside the lock.
    public convenience init(
        limits: MemoryCacheLimits = MemoryCacheLimits(),
        clock: any Clock<Duration> = ContinuousClock(),
        cost: @escaping @Sendable (Value) -> ByteCount
    ) {
        self.init(limits: limits, clock: clock, cost: cost, family: nil)
    }

    /// Creates an empty cache that also finds values by family, which related keys share.
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

    /// The current contents of the cache, and its hits and misses so far.
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

    /// Looks up the value of `key`, and counts it as a use.
    @inlinable
    public func value(for key: Key) -> Value? {
        var expired: Value?
        return state.withLock { state in
            let value = state.list.use(key, stopwatch, &expired)
            if value == nil { state.misses += 1 } else { state.hits += 1 }
            return value
        }
    }

    /// Looks up the value of `key` and its place, and counts it as a use.
    @inlinable
    package func placedValue(for key: Key) -> (value: Value, place: CachePlace)? {
        var expired: Value?
        return state.withLock { state in
            guard let entry = state.list.useEntry(key, stopwatch, &expired) else {
                state.misses += 1
                return nil
            }
            state.hits += 1
            return (entry.value, CachePlace(index: entry.place, stamp: state.list.stamps[entry.place]))
        }
    }

    /// Counts another use of the value at `place`, as ``value(for:)`` does.
    ///
    /// Returns `false` if the cache no longer has that value, which counts neither as a hit nor as a miss.
    @inlinable
    package func useValue(at place: CachePlace) -> Bool {
        state.withLock { state in
            guard state.list.use(place, stopwatch) else { return false }
            state.hits += 1
            return true
        }
    }

    /// Looks up the value of `key` again for the same use, which counts neither as a hit nor as a miss.
    @inlinable
    package func valueAgain(for key: Key) -> Value? {
        var expired: Value?
        return state.withLock { $0.list.use(key, stopwatch, &expired) }
    }

    /// Looks up the value of another key after a miss, which then counts as a hit after all.
    @inlinable
    package func valueInstead(for key: Key) -> Value? {
        var expired: Value?
        return state.withLock { state in
            let value = state.list.use(key, stopwatch, &expired)
            if value != nil { (state.hits, state.misses) = (state.hits + 1, state.misses - 1) }
            return value
        }
    }

    /// The entries of a family; none of them counts as used.
    package func members(of family: Int) -> [(key: Key, value: Value)] {
        state.withLock { $0.list.members(of: family) }
    }

    /// Stores `value`, unless there is one for `key` already; either counts as a use.
    ///
    /// A value above the maximum cost of one entry is not stored, and pushes nothing out.
    ///
    /// - Returns: The existing value, otherwise `value`.
    @discardableResult
    public func store(_ value: Value, for key: Key) -> Value {
        store(value, for: key, lasting: nil)
    }

    /// Stores `value` for `timeToLive`, instead of ``MemoryCacheLimits/timeToLive``, unless there is one for
    /// `key` already.
    ///
    /// - Returns: The existing value, which stays as it is; otherwise `value`.
    @discardableResult
    public func store(_ value: Value, for key: Key, timeToLive: Duration) -> Value {
        store(value, for: key, lasting: timeToLive)
    }

    /// Stores `value`, replacing the one for `key`.
    ///
    /// A value above the maximum cost of one entry is not stored; the old one is removed all the same.
    public func replaceValue(_ value: Value, for key: Key) {
        replaceValue(value, for: key, lasting: nil)
    }

    /// Stores `value` for `timeToLive`, instead of ``MemoryCacheLimits/timeToLive``, replacing the one for
    /// `key`.
    public func replaceValue(_ value: Value, for key: Key, timeToLive: Duration) {
        replaceValue(value, for: key, lasting: timeToLive)
    }

    /// Removes the value of `key`, if there is one.
    public func removeValue(for key: Key) {
        let removed = state.withLock { $0.list.remove(key) }
        withExtendedLifetime(removed) {}
    }

    /// Removes the entries of a family, or of all families, that `isUnwanted` names.
    package func removeMembers(of family: Int?, where isUnwanted: (Key) -> Bool = { _ in true }) {
        let removed = state.withLock { state in
            let members = family.map { state.list.members(of: $0) } ?? state.list.all
            return members.filter { isUnwanted($0.key) }.compactMap { state.list.remove($0.key) }
        }
        withExtendedLifetime(removed) {}
    }

    /// Removes all values; the counts of hits and misses continue.
    public func removeAll() {
        let removed = state.withLock { $0.list.removeAll() }
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

/// The contents of a memory cache, and how often it helped.
public struct MemoryCacheSnapshot: Hashable, Sendable {
    /// The number of entries.
    public var count: Int
    /// The total cost of the entries.
    public var bytes: ByteCount
    /// The number of look-ups that found a value.
    public var hits: Int
    /// The number of look-ups that found none.
    public var misses: Int
}
