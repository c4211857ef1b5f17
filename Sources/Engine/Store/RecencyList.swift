public import TaskFlow

/// Keyed values in the order of their last use, each with a cost; every operation on one takes constant time.
@usableFromInline
struct RecencyList<Key: Hashable, Value> {
    @usableFromInline
    struct Entry {
        @usableFromInline let value: Value
        let cost: Int
        @usableFromInline let place: Int
    }

    @usableFromInline var entries: [Key: Entry] = [:]
    /// The key at each place of `order`.
    private var keys: [Key?] = []
    /// The stamp of the entry at each place; 0 if there is none.
    @usableFromInline var stamps: [UInt64] = []
    /// The number of entries added so far, also to lists before this one.
    private var added: UInt64 = 0
    @usableFromInline var order = UseOrder()
    private(set) var totalCost = 0
    // Rare properties of entries are stored separately, so that a look-up copies little.
    /// The expiry times of entries that can expire, by their place.
    @usableFromInline var expiries: [Int: Duration] = [:]
    /// The families of entries that have one, by their place.
    private var familyAtPlace: [Int: Int] = [:]
    /// The places of each family's members.
    private var families: [Int: Set<Int>] = [:]

    var count: Int { entries.count }

    /// Returns the value of `key`, which then counts as the most recently used.
    ///
    /// - Parameters:
    ///   - key: The key to look up.
    ///   - stopwatch: Read only for an entry that can expire.
    ///   - expired: Set to the value of an expired entry, which is removed; the caller releases it.
    /// - Returns: The value; `nil` if there is none, or if it has expired.
    @inlinable
    mutating func use(_ key: Key, _ stopwatch: Stopwatch, _ expired: inout Value?) -> Value? {
        useEntry(key, stopwatch, &expired)?.value
    }

    /// Returns the entry of `key`, which then counts as the most recently used; see ``use(_:_:_:)``.
    @inlinable
    mutating func useEntry(_ key: Key, _ stopwatch: Stopwatch, _ expired: inout Value?) -> Entry? {
        guard let entry = entries[key] else { return nil }
        if !expiries.isEmpty, let expiry = expiries[entry.place], expiry <= stopwatch.now {
            expired = remove(key)
            return nil
        }
        order.touch(entry.place)
        return entry
    }

    /// Marks the entry at `place` as the most recently used.
    ///
    /// Returns `false` if it is no longer there, or has expired.
    @inlinable
    mutating func use(_ place: CachePlace, _ stopwatch: Stopwatch) -> Bool {
        guard place.index < stamps.count, stamps[place.index] == place.stamp else { return false }
        if !expiries.isEmpty, let expiry = expiries[place.index], expiry <= stopwatch.now { return false }
        order.touch(place.index)
        return true
    }

    /// Removes all entries, and returns the list as it was.
    mutating func removeAll() -> Self {
        let list = self
        self = Self()
        // Stamps never come again.
        added = list.added
        return list
    }

    /// Adds an entry as the most recently used; there must be none for `key`.
    mutating func insert(
        _ value: Value,
        for key: Key,
        cost: Int,
        expiry: Duration? = nil,
        family: Int? = nil
    ) {
        let place = order.add()
        added += 1
        if place == keys.count {
            keys.append(key)
            stamps.append(added)
        } else {
            keys[place] = key
            stamps[place] = added
        }
        entries[key] = Entry(value: value, cost: cost, place: place)
        totalCost += cost
        if let expiry { expiries[place] = expiry }
        if let family {
            familyAtPlace[place] = family
            families[family, default: []].insert(place)
        }
    }

    /// Removes the value of `key`; `nil` if there is none.
    @usableFromInline
    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        keys[entry.place] = nil
        stamps[entry.place] = 0
        order.remove(entry.place)
        totalCost -= entry.cost
        expiries[entry.place] = nil
        if let family = familyAtPlace.removeValue(forKey: entry.place) { leave(family, entry.place) }
        return entry.value
    }

    /// Removes the least recently used value; `nil` if there is none.
    mutating func removeOldest() -> Value? {
        guard let place = order.oldest, let key = keys[place] else { return nil }
        return remove(key)
    }

    /// Removes entries that cost more than `cost`; takes time for every entry.
    mutating func removeAll(costingMoreThan cost: Int) -> [Value] {
        entries.filter { $0.value.cost > cost }.keys.compactMap { remove($0) }
    }

    /// Removes expired entries; takes time for every entry that can expire.
    mutating func removeExpired(_ now: Duration) -> [Value] {
        let places = expiries.filter { $0.value <= now }.keys
        return places.compactMap { place in keys[place].flatMap { remove($0) } }
    }

    /// The entries of a family; none of them counts as used.
    func members(of family: Int) -> [(key: Key, value: Value)] {
        (families[family] ?? []).compactMap { place in
            keys[place].flatMap { key in entries[key].map { (key, $0.value) } }
        }
    }

    /// All entries; none of them counts as used.
    var all: [(key: Key, value: Value)] { entries.map { ($0.key, $0.value.value) } }

    private mutating func leave(_ family: Int, _ place: Int) {
        families[family]?.remove(place)
        if families[family]?.isEmpty == true { families[family] = nil }
    }
}

/// The place of a value in a memory cache; another value never has the same one.
@usableFromInline
package struct CachePlace: Hashable, Sendable {
    @usableFromInline let index: Int
    @usableFromInline let stamp: UInt64

    @usableFromInline
    init(index: Int, stamp: UInt64) {
        self.index = index
        self.stamp = stamp
    }
}

extension RecencyList.Entry: Sendable where Key: Sendable, Value: Sendable {}
extension RecencyList: Sendable where Key: Sendable, Value: Sendable {}

/// Places, numbered from 0, in the order of their last use.
///
/// They are linked by number in one array, so that every operation takes constant time and nothing is
/// shifted; free places are reused. It knows no keys or values: code that is not generic is compiled once,
/// and fast.
@usableFromInline
package struct UseOrder: Sendable {
    private struct Links: Sendable {
        var newer: Int?
        var older: Int?
    }

    private var links: [Links] = []
    private var freePlaces: [Int] = []
    private var newest: Int?
    package private(set) var oldest: Int?

    package init() {}

    /// Returns a place, which counts as the most recently used; a new place has the next higher number.
    package mutating func add() -> Int {
        let place = freePlaces.popLast() ?? links.count
        if place == links.count { links.append(Links()) }
        linkAsNewest(place)
        return place
    }

    /// Marks `place` as the most recently used.
    @usableFromInline
    package mutating func touch(_ place: Int) {
        guard newest != place else { return }
        unlink(place)
        linkAsNewest(place)
    }

    package mutating func remove(_ place: Int) {
        unlink(place)
        freePlaces.append(place)
    }

    private mutating func linkAsNewest(_ place: Int) {
        links[place] = Links(newer: nil, older: newest)
        if let newest { links[newest].newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (links[place].newer, links[place].older)
        if let newer { links[newer].older = older } else { newest = older }
        if let older { links[older].newer = newer } else { oldest = newer }
    }
}
