package import CalotypeCore
internal import TaskFlow

/// LRU: what has not been used for longest goes first.
package struct SimulatedRecency: SimulatedCache {
    private struct Entry {
        var lastUse: Int
        let bytes: Int
    }

    private let capacity: Int
    private var entries: [UInt64: Entry] = [:]
    /// Every use; all but the last of an entry are passed over.
    private var uses = FIFO<(key: UInt64, number: Int)>()
    private var useCount = 0
    private var bytes = 0

    package init(capacity: ByteCount) {
        self.capacity = capacity.bytes
    }

    package mutating func request(_ key: UInt64, bytes: Int) -> Bool {
        useCount += 1
        let isHit = entries[key] != nil
        if isHit {
            entries[key]?.lastUse = useCount
        } else if bytes <= capacity {
            while self.bytes + bytes > capacity { removeOldest() }
            entries[key] = Entry(lastUse: useCount, bytes: bytes)
            self.bytes += bytes
        } else {
            return false
        }
        uses.append((key, useCount))
        return isHit
    }

    private mutating func removeOldest() {
        while let use = uses.popFirst() {
            guard let entry = entries[use.key], entry.lastUse == use.number else { continue }
            entries[use.key] = nil
            bytes -= entry.bytes
            return
        }
    }
}
