public import CalotypeCore
internal import TaskFlow

/// Values in memory, bounded by their cost and their number; the least recently used goes first.
///
/// Looking up and storing take constant time under one lock. Values are let go outside it, because freeing a large one
/// takes time and may run code of its own.
public final class MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Storing {
    private struct State {
        var list = RecencyList<Key, Value>()
        var limits: MemoryCacheLimits
        var hits = 0
        var misses = 0

        /// Removes the least recently used until the limits hold, and returns what was removed.
        mutating func trim() -> [Value] {
            var removed: [Value] = []
            while list.count > limits.count || list.totalCost > limits.bytes.bytes {
                guard let value = list.removeOldest() else { break }
                removed.append(value)
            }
            return removed
        }
    }

    private let cost: @Sendable (Value) -> ByteCount
    private let state: Guarded<State>

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - limits: How much it keeps.
    ///   - cost: What a value costs, usually its bytes; negative counts as zero. It is asked once for each value stored,
    ///     outside the lock.
    public init(
        limits: MemoryCacheLimits = MemoryCacheLimits(),
        cost: @escaping @Sendable (Value) -> ByteCount
    ) {
        self.cost = cost
        state = Guarded(State(limits: limits))
    }

    /// How much the cache keeps; lower limits are applied at once.
    public var limits: MemoryCacheLimits {
        get { state.withLock { $0.limits } }
        set {
            let removed = state.withLock { state in
                state.limits = newValue
                return state.trim()
            }
            withExtendedLifetime(removed) {}
        }
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
        state.withLock { state in
            let value = state.list.use(key)
            if value == nil { state.misses += 1 } else { state.hits += 1 }
            return value
        }
    }

    /// Looks up the value of `key` once more for the same use, which is neither a hit nor a miss of its own.
    package func valueAgain(for key: Key) -> Value? {
        state.withLock { $0.list.use(key) }
    }

    /// Stores `value`, unless there is one for `key` already, which then stays; both count as a use.
    ///
    /// A value that costs more than all entries together may cost is not kept, and pushes nothing out.
    ///
    /// - Returns: The value that was there first, otherwise `value`.
    @discardableResult
    public func store(_ value: Value, for key: Key) -> Value {
        let cost = max(cost(value), ByteCount(0))
        let (first, removed) = state.withLock { state -> (Value?, [Value]) in
            if let first = state.list.use(key) { return (first, []) }
            return (nil, Self.insert(value, key, cost, &state))
        }
        withExtendedLifetime(removed) {}
        return first ?? value
    }

    /// Stores `value` in place of the one for `key`, if there is one.
    ///
    /// A value that costs more than all entries together may cost is not kept; the old one goes all the same.
    public func replaceValue(_ value: Value, for key: Key) {
        let cost = max(cost(value), ByteCount(0))
        let removed = state.withLock { state -> [Value] in
            let old = state.list.remove(key)
            let removed = Self.insert(value, key, cost, &state)
            return if let old { [old] + removed } else { removed }
        }
        withExtendedLifetime(removed) {}
    }

    /// Forgets the value of `key`, if there is one.
    public func removeValue(for key: Key) {
        let removed = state.withLock { $0.list.remove(key) }
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

    private static func insert(
        _ value: Value,
        _ key: Key,
        _ cost: ByteCount,
        _ state: inout State
    ) -> [Value] {
        guard state.limits.admits(cost) else { return [] }
        state.list.insert(value, for: key, cost: cost.bytes)
        return state.trim()
    }
}
