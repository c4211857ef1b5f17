package import CalotypeCore
internal import TaskFlow

/// Decides which entries a disk cache keeps: S3-FIFO by bytes.
///
/// New entries enter a small queue. An entry that has been hit when it reaches the front moves on to the main
/// queue; any other leaves the cache, and its key is remembered for a while: if it returns, it enters the
/// main queue immediately. An entry at the front of the main queue goes round once for each of its hits, up
/// to three. So a hit costs a count in memory, never a write, and entries that are used once do not push out
/// those that are used often.
///
/// From: Yang, Zhang, Qiu, Yue, Rashmi, "FIFO queues are all you need for cache eviction", SOSP 2023.
///
/// It is owned by the writing thread; readers use only its ``hits``.
package struct EvictionQueue: Sendable {
    /// The result of a step.
    package enum Step: Hashable, Sendable {
        /// This entry was removed.
        case removed(QueuedEntry)
        /// This entry moved to the end of the main queue.
        case moved(QueuedEntry)
        /// Both queues are empty.
        case empty
    }

    /// The number of hits that move an entry from the small queue to the main one.
    ///
    /// The paper uses two. Here a memory cache answers repeated requests first, so a hit on the disk means
    /// more; in the mixes of `script/bench store`, one visit gives up to 1.3 more hits per 100.
    static let hitsForMain: UInt8 = 1

    /// The bytes of the whole cache; the small queue has a tenth of them.
    package let capacity: ByteCount
    /// The hit counts, which any thread may update.
    package let hits: HitCounts
    private let largeEntry: ByteCount
    private var ghosts: GhostKeys

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - capacity: The bytes of the whole cache.
    ///   - largeEntry: The size from which an entry is stored only at the second offer, if that is not more
    ///     than a hundredth of `capacity`; otherwise that hundredth is the size.
    ///   - ghostLimit: The maximum number of keys of removed entries to remember; each takes about 60 bytes.
    ///   - hits: The hit counts.
    package init(
        capacity: ByteCount,
        largeEntry: ByteCount = .mebibytes(8),
        ghostLimit: Int = 1 << 19,
        hits: HitCounts = HitCounts()
    ) {
        self.capacity = capacity
        self.largeEntry = Self.largeEntry(largeEntry, capacity: capacity)
        self.hits = hits
        ghosts = GhostKeys(byteLimit: capacity.bytes - capacity.bytes / 10, countLimit: ghostLimit)
    }

    /// The size above which an entry must be offered twice: a hundredth of the cache, and at most `most`.
    package static func largeEntry(_ most: ByteCount, capacity: ByteCount) -> ByteCount {
        min(most, ByteCount(capacity.bytes / 100))
    }

    /// Decides where a new entry goes; `nil` if it must not be stored.
    ///
    /// An entry larger than the whole cache is never stored. A large entry (``largeEntry(_:capacity:)``) is
    /// stored when it is offered for the second time while the keys of removed entries are still remembered.
    ///
    /// - Parameters:
    ///   - key: The last eight bytes of the digest of its key.
    ///   - size: The size of the entry.
    ///   - isBulk: Whether it belongs to work that offers each entry once, which treats large and small
    ///     entries alike.
    /// - Returns: The queue that it joins at the end.
    package mutating func place(_ key: UInt64, _ size: ByteCount, isBulk: Bool = false) -> QueueSegment? {
        guard size <= capacity else { return nil }
        if ghosts.remove(key) { return .main }
        guard isBulk || size <= largeEntry else {
            ghosts.insert(key, bytes: size.bytes)
            return nil
        }
        return .small
    }

    /// Takes one step towards fewer bytes: removes the least wanted entry, or moves one out of its way.
    ///
    /// There are at most as many moves as there were hits. The caller continues while the cache is too large,
    /// as long as its budget allows.
    package mutating func step<Queues: EntryQueueing>(
        _ queues: inout Queues
    ) throws(Queues.Failure) -> Step {
        let isSmallDue = queues.bytes(in: .small) >= capacity.bytes / 10
        if isSmallDue, let entry = try queues.oldest(in: .small) { return try stepSmall(entry, &queues) }
        if let entry = try queues.oldest(in: .main) { return try stepMain(entry, &queues) }
        guard let entry = try queues.oldest(in: .small) else { return .empty }
        return try stepSmall(entry, &queues)
    }

    /// Records that the entry of `key` was removed on request.
    package mutating func forget(_ key: UInt64) {
        ghosts.remove(key)
        hits.clear(key)
    }

    /// Records that all entries were removed.
    package mutating func forgetAll() {
        ghosts.removeAll()
        hits.clearAll()
    }

    private mutating func stepSmall<Queues: EntryQueueing>(
        _ entry: QueuedEntry,
        _ queues: inout Queues
    ) throws(Queues.Failure) -> Step {
        let isWanted = hits.value(entry.key) >= Self.hitsForMain
        if isWanted {
            try queues.moveToEndOfMain(entry)
        } else {
            try queues.remove(entry)
            ghosts.insert(entry.key, bytes: entry.bytes)
        }
        hits.clear(entry.key)
        return isWanted ? .moved(entry) : .removed(entry)
    }

    private func stepMain<Queues: EntryQueueing>(
        _ entry: QueuedEntry,
        _ queues: inout Queues
    ) throws(Queues.Failure) -> Step {
        if hits.value(entry.key) > 0 {
            try queues.moveToEndOfMain(entry)
            _ = hits.takeOne(entry.key)
            return .moved(entry)
        }
        try queues.remove(entry)
        return .removed(entry)
    }
}

/// The keys of removed entries, the oldest first, as many as would fill a given number of bytes.
struct GhostKeys: Sendable {
    private struct Ghost {
        let bytes: Int
        let number: UInt64
    }

    /// The maximum sum of the bytes of all remembered entries.
    let byteLimit: Int
    /// The maximum number of keys, however small their entries were.
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

    /// Remembers `key` as the newest, and forgets the oldest keys beyond the limits.
    mutating func insert(_ key: UInt64, bytes: Int) {
        remove(key)
        ghosts[key] = Ghost(bytes: bytes, number: nextNumber)
        order.append((key, nextNumber))
        nextNumber += 1
        self.bytes += bytes
        // The order also contains removed keys, which must not accumulate either.
        while self.bytes > byteLimit || order.count > countLimit, let oldest = order.popFirst() {
            if ghosts[oldest.key]?.number == oldest.number { remove(oldest.key) }
        }
    }

    /// Forgets `key`; `false` if it was not remembered.
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
