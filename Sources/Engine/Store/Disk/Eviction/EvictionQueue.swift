package import CalotypeCore
internal import TaskFlow

/// Decides which entries a disk cache keeps: S3-FIFO by bytes.
///
/// New entries enter a small queue. One that was hit when it comes to the front goes on to the main queue; another leaves
/// the cache, and its key is remembered for a while: if it comes back, it enters the main queue at once. An entry at the
/// front of the main queue goes round once for each of its hits, up to three. So a hit costs a count in memory,
/// never a write, and what is asked for only once does not push out what is asked for often.
///
/// From: Yang, Zhang, Qiu, Yue, Rashmi, "FIFO queues are all you need for cache eviction", SOSP 2023.
///
/// One thread owns it, the one that writes; readers use its ``hits`` only.
package struct EvictionQueue: Sendable {
    /// What a step did.
    package enum Step: Hashable, Sendable {
        /// This entry was removed.
        case removed(QueuedEntry)
        /// This entry went to the end of the main queue.
        case moved(QueuedEntry)
        /// Both queues are empty.
        case empty
    }

    /// The hits that take an entry from the small queue into the main one.
    ///
    /// The paper asks for two. Here a memory cache answers what is asked for again at once, so a hit on the disk tells
    /// more; in the mixes of `script/bench store`, one gives up to 1.3 of 100 hits more.
    static let hitsForMain: UInt8 = 1

    /// The bytes of the whole cache, of which the small queue has a tenth.
    package let capacity: ByteCount
    /// Where hits are counted, from any thread.
    package let hits: HitCounts
    private let largeEntry: ByteCount
    private var ghosts: GhostKeys

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - capacity: The bytes of the whole cache.
    ///   - largeEntry: The size from which on an entry has to be asked for twice before it is stored, if that is not
    ///     more than a hundredth of `capacity`, which then is that size.
    ///   - ghostLimit: The most keys of removed entries to remember; each takes about 60 bytes.
    ///   - hits: Where hits are counted.
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

    /// The size above which an entry has to be asked for twice: a hundredth of the cache, and at most `most`.
    package static func largeEntry(_ most: ByteCount, capacity: ByteCount) -> ByteCount {
        min(most, ByteCount(capacity.bytes / 100))
    }

    /// Where a new entry goes; `nil` for one that is not to be stored.
    ///
    /// An entry larger than the whole cache is never stored. One that is large (``largeEntry(_:capacity:)``) is stored
    /// when it is offered for the second time within the time that keys of removed entries are remembered.
    ///
    /// - Parameters:
    ///   - key: The first eight bytes of the digest of its key.
    ///   - size: What it takes.
    ///   - isBulk: Whether it comes from work that offers each entry once, which makes no difference between large
    ///     and small.
    /// - Returns: The queue at whose end it goes.
    package mutating func place(_ key: UInt64, _ size: ByteCount, isBulk: Bool = false) -> QueueSegment? {
        guard size <= capacity else { return nil }
        if ghosts.remove(key) { return .main }
        guard isBulk || size <= largeEntry else {
            ghosts.insert(key, bytes: size.bytes)
            return nil
        }
        return .small
    }

    /// Takes one step towards fewer bytes: removes the entry that is wanted least, or moves one out of its way.
    ///
    /// Steps that move are at most as many as there were hits. The caller goes on while the cache is too large, for as
    /// long as its budget allows.
    package mutating func step<Queues: EntryQueueing>(
        _ queues: inout Queues
    ) throws(Queues.Failure) -> Step {
        let isSmallDue = queues.bytes(in: .small) >= capacity.bytes / 10
        if isSmallDue, let entry = try queues.oldest(in: .small) { return try stepSmall(entry, &queues) }
        if let entry = try queues.oldest(in: .main) { return try stepMain(entry, &queues) }
        guard let entry = try queues.oldest(in: .small) else { return .empty }
        return try stepSmall(entry, &queues)
    }

    /// Takes note that the entry of `key` was removed by somebody else's wish.
    package mutating func forget(_ key: UInt64) {
        ghosts.remove(key)
        hits.clear(key)
    }

    /// Takes note that all entries were removed.
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
