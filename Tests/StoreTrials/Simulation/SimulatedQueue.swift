package import CalotypeCore
internal import CalotypeStore

/// The disk cache's own choice of what to keep.
package struct SimulatedQueue: SimulatedCache {
    private var queue: EvictionQueue
    private var queues = ListedQueues()
    private var present: Set<UInt64> = []

    /// Creates an empty cache; no object counts as large where `isBulk` says so.
    package init(capacity: ByteCount, isBulk: Bool = true) {
        queue = EvictionQueue(capacity: capacity)
        self.isBulk = isBulk
    }

    private let isBulk: Bool

    package mutating func request(_ key: UInt64, bytes: Int) -> Bool {
        guard !present.contains(key) else {
            queue.hits.add(key)
            return true
        }
        guard let segment = queue.place(key, ByteCount(bytes), isBulk: isBulk) else { return false }
        while queues.bytes + bytes > queue.capacity.bytes {
            if case .removed(let entry) = queue.step(&queues) { present.remove(entry.key) }
        }
        queues.append(QueuedEntry(id: 0, key: key, bytes: bytes), to: segment)
        present.insert(key)
        return false
    }
}
