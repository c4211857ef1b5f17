import CalotypeCore

/// Encoded pictures by name, those not used for the longest time dropped first.
struct LRUCache: Sendable {
    private struct Entry {
        var bytes: [UInt8]
        var lastUse: UInt64
    }

    let limit: ByteCount
    private(set) var total = 0
    private var entries: [String: Entry] = [:]
    private var uses: UInt64 = 0

    init(limit: ByteCount) {
        self.limit = limit
    }

    mutating func value(for name: String) -> [UInt8]? {
        uses += 1
        entries[name]?.lastUse = uses
        return entries[name]?.bytes
    }

    mutating func insert(_ bytes: [UInt8], for name: String) {
        guard bytes.count <= limit.bytes else { return }
        remove(name)
        uses += 1
        entries[name] = Entry(bytes: bytes, lastUse: uses)
        total += bytes.count
        while total > limit.bytes, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            remove(oldest.key)
        }
    }

    private mutating func remove(_ name: String) {
        guard let entry = entries.removeValue(forKey: name) else { return }
        total -= entry.bytes.count
    }
}
