package import CalotypeCore

/// Values by name, such as encoded pictures; those not used for the longest time are dropped first.
package struct LRUCache<Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var size: Int
        var lastUse: UInt64
    }

    private let limit: ByteCount
    private var total = 0
    private var entries: [String: Entry] = [:]
    private var uses: UInt64 = 0

    /// Creates an empty cache of `limit` bytes.
    package init(limit: ByteCount) {
        self.limit = limit
    }

    /// The value called `name`, which is used now.
    package mutating func value(for name: String) -> Value? {
        uses += 1
        entries[name]?.lastUse = uses
        return entries[name]?.value
    }

    /// Keeps a value of `size` bytes; not at all where it is larger than the cache.
    package mutating func insert(_ value: Value, for name: String, size: Int) {
        guard size <= limit.bytes else { return }
        remove(name)
        uses += 1
        entries[name] = Entry(value: value, size: size, lastUse: uses)
        total += size
        while total > limit.bytes, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            remove(oldest.key)
        }
    }

    private mutating func remove(_ name: String) {
        guard let entry = entries.removeValue(forKey: name) else { return }
        total -= entry.size
    }
}
