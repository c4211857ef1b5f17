/// Keyed values in the order of their last use, each with a cost; every operation on one takes constant time.
struct RecencyList<Key: Hashable, Value> {
    struct Entry {
        let value: Value
        let cost: Int
        /// When it is of no use any more.
        let expiry: Duration?
        /// What it has in common with others.
        let family: Key?
        fileprivate(set) var place = 0
    }

    /// What a look-up finds.
    enum Finding {
        case nothing
        case value(Value)
        /// An entry that had expired and has been removed; its value is let go by the caller.
        case expired(Value)

        var value: Value? {
            if case .value(let value) = self { value } else { nil }
        }
    }

    private var entries: [Key: Entry] = [:]
    private var families: [Key: Set<Key>] = [:]
    /// The key at each place of `order`.
    private var keys: [Key?] = []
    private var order = UseOrder()
    private(set) var totalCost = 0

    var count: Int { entries.count }

    /// The value of `key`, which now counts as the one used last.
    ///
    /// The clock is read for an entry that can expire, and for no other.
    mutating func use(_ key: Key, _ now: () -> Duration) -> Finding {
        guard let entry = entries[key] else { return .nothing }
        if let expiry = entry.expiry, expiry <= now() {
            remove(key)
            return .expired(entry.value)
        }
        order.touch(entry.place)
        return .value(entry.value)
    }

    /// Adds an entry as the one used last; there must be none for `key`.
    mutating func insert(_ entry: Entry, for key: Key) {
        var entry = entry
        entry.place = order.add()
        if entry.place == keys.count { keys.append(key) } else { keys[entry.place] = key }
        entries[key] = entry
        totalCost += entry.cost
        if let family = entry.family { families[family, default: []].insert(key) }
    }

    /// Removes the value of `key`; `nil` when there is none.
    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        keys[entry.place] = nil
        order.remove(entry.place)
        totalCost -= entry.cost
        if let family = entry.family { leave(family, key) }
        return entry.value
    }

    /// Removes the value that has not been used for longest; `nil` when there is none.
    mutating func removeOldest() -> Value? {
        guard let place = order.oldest, let key = keys[place] else { return nil }
        return remove(key)
    }

    /// Removes what `isUnwanted` says; takes time for every entry.
    mutating func removeAll(where isUnwanted: (Entry) -> Bool) -> [Value] {
        entries.filter { isUnwanted($0.value) }.keys.compactMap { remove($0) }
    }

    /// The entries of a family, none of which counts as used.
    func members(of family: Key) -> [(key: Key, value: Value)] {
        (families[family] ?? []).compactMap { key in entries[key].map { (key, $0.value) } }
    }

    private mutating func leave(_ family: Key, _ key: Key) {
        families[family]?.remove(key)
        if families[family]?.isEmpty == true { families[family] = nil }
    }
}

extension RecencyList.Finding: Sendable where Key: Sendable, Value: Sendable {}
extension RecencyList.Entry: Sendable where Key: Sendable, Value: Sendable {}
extension RecencyList: Sendable where Key: Sendable, Value: Sendable {}
