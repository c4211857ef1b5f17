/// Keyed values in the order of their last use, each with a cost; every operation takes constant time.
struct RecencyList<Key: Hashable, Value> {
    struct Entry {
        let value: Value
        let cost: Int
        let place: Int
    }

    private var entries: [Key: Entry] = [:]
    /// The key at each place of `order`.
    private var keys: [Key?] = []
    private var order = UseOrder()
    private(set) var totalCost = 0

    var count: Int { entries.count }

    /// The value of `key`, which now counts as the one used last.
    mutating func use(_ key: Key) -> Value? {
        guard let entry = entries[key] else { return nil }
        order.touch(entry.place)
        return entry.value
    }

    /// Adds an entry as the one used last; there must be none for `key`.
    mutating func insert(_ value: Value, for key: Key, cost: Int) {
        let place = order.add()
        if place == keys.count { keys.append(key) } else { keys[place] = key }
        entries[key] = Entry(value: value, cost: cost, place: place)
        totalCost += cost
    }

    /// Removes the value of `key`; `nil` when there is none.
    mutating func remove(_ key: Key) -> Value? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        keys[entry.place] = nil
        order.remove(entry.place)
        totalCost -= entry.cost
        return entry.value
    }

    /// Removes the value that has not been used for longest; `nil` when there is none.
    mutating func removeOldest() -> Value? {
        guard let place = order.oldest, let key = keys[place] else { return nil }
        return remove(key)
    }
}

extension RecencyList.Entry: Sendable where Key: Sendable, Value: Sendable {}
extension RecencyList: Sendable where Key: Sendable, Value: Sendable {}
