internal import TaskFlow

/// The keys of entries that are gone, the oldest first, as many as would fill a given number of bytes.
struct GhostKeys: Sendable {
    private struct Ghost {
        let bytes: Int
        let number: UInt64
    }

    /// The sum of the bytes of all that are remembered.
    let byteLimit: Int
    /// The most keys, however small their entries were.
    let countLimit: Int
    private var ghosts: [UInt64: Ghost] = [:]
    private var order = FIFO<(key: UInt64, number: UInt64)>()
    private var nextNumber: UInt64 = 0
    private(set) var bytes = 0

    init(byteLimit: Int, countLimit: Int) {
        self.byteLimit = byteLimit
        self.countLimit = countLimit
    }

    var count: Int { ghosts.count }

    func contains(_ key: UInt64) -> Bool { ghosts[key] != nil }

    /// Remembers `key` as the newest, and forgets the oldest that are too many then.
    mutating func insert(_ key: UInt64, bytes: Int) {
        remove(key)
        ghosts[key] = Ghost(bytes: bytes, number: nextNumber)
        order.append((key, nextNumber))
        nextNumber += 1
        self.bytes += bytes
        // The order has places of keys that were removed as well; they must not pile up either.
        while self.bytes > byteLimit || order.count > countLimit, let oldest = order.popFirst() {
            if ghosts[oldest.key]?.number == oldest.number { remove(oldest.key) }
        }
    }

    /// Forgets `key`; `false` when it was not remembered.
    @discardableResult
    mutating func remove(_ key: UInt64) -> Bool {
        guard let ghost = ghosts.removeValue(forKey: key) else { return false }
        bytes -= ghost.bytes
        return true
    }

    mutating func removeAll() {
        self = GhostKeys(byteLimit: byteLimit, countLimit: countLimit)
    }
}
