internal import CalotypeDigests

/// The changes that wait for the writer and those that it writes now, with their cost bounded.
///
/// What is staged is found before what is on the disk, so a value can be read from the moment in which it was stored.
/// There is at most one change for each key in either set.
struct StagedWrites: Sendable {
    /// What may be staged.
    enum Acceptance: Sendable {
        case everything
        /// The disk takes no values now; what must not be found any more is kept in mind.
        case removals
        case nothing
    }

    /// What is known of a key without the disk.
    enum Lookup: Equatable {
        case entry(StoredEntry)
        case absent
        /// The disk knows; where it has the key, the metadata is this, if any.
        case onDisk(metadata: [UInt8]?)
    }

    /// What the writer does next.
    struct Batch: Sendable {
        /// Everything is removed first.
        var clears = false
        var writes: [(key: Digest, write: StagedWrite)] = []
        var isEmpty: Bool { !clears && writes.isEmpty }
    }

    var acceptance = Acceptance.nothing
    /// What could not be staged, so far.
    private(set) var dropped = 0
    /// The batches that have ended.
    private(set) var batches = 0
    private let limit: Int
    private var waiting = ChangeSet()
    private var writing = ChangeSet()

    /// Nothing staged, and `limit` bytes of room.
    init(limit: Int) {
        self.limit = limit
    }

    /// The cost of all that is staged.
    var cost: Int { waiting.cost + writing.cost }
    /// What waits for the writer.
    var waitingCount: Int { waiting.count + (waiting.clears ? 1 : 0) }
    var waitingCost: Int { waiting.cost }

    func lookup(_ key: Digest) -> Lookup {
        let later = waiting[key]
        if let entry = later?.entry { return .entry(entry) }
        if case .metadata(let metadata) = later { return lookup(key, in: writing).patched(metadata) }
        if later == .remove || waiting.clears { return .absent }
        return lookup(key, in: writing)
    }

    private func lookup(_ key: Digest, in changes: ChangeSet) -> Lookup {
        switch changes[key] {
        case .store(let entry), .replace(let entry): .entry(entry)
        case .remove: .absent
        case .metadata(let metadata): .onDisk(metadata: metadata)
        case nil: changes.clears ? .absent : .onDisk(metadata: nil)
        }
    }

    // MARK: Callers

    /// Stages an entry for a key that the disk does not have, and returns the one that was staged before, if any.
    mutating func store(_ entry: StoredEntry, for key: Digest) -> StoredEntry? {
        if case .entry(let first) = lookup(key) { return first }
        if admits(entry) { stage(.store(entry), for: key) } else { dropped += 1 }
        return nil
    }

    mutating func replace(_ entry: StoredEntry, for key: Digest) {
        guard !admits(entry) else { return stage(.replace(entry), for: key) }
        dropped += 1
        // The old value must not be found in place of the one that there is no room for.
        remove(key)
    }

    mutating func replaceMetadata(_ metadata: [UInt8], for key: Digest) {
        guard acceptance == .everything, cost + metadata.count <= limit, lookup(key) != .absent else {
            return
        }
        stage(.metadata(metadata), for: key)
    }

    mutating func remove(_ key: Digest) {
        guard acceptance != .nothing else { return }
        // Removals are small, but there may be any number of them.
        guard cost <= 2 * limit else { return removeAll() }
        stage(.remove, for: key)
    }

    mutating func removeAll() {
        guard acceptance != .nothing else { return }
        waiting = ChangeSet()
        waiting.clears = true
    }

    private func admits(_ entry: StoredEntry) -> Bool {
        acceptance == .everything && cost + StagedWrite.store(entry).cost <= limit
    }

    private mutating func stage(_ write: StagedWrite, for key: Digest) {
        waiting[key] = waiting[key]?.followed(by: write) ?? write
    }

    /// Counts an entry that is too large to be staged.
    mutating func refuse() {
        dropped += 1
    }

    // MARK: The writer

    /// Takes the oldest changes, which stay readable until the batch ends.
    mutating func take(count: Int, cost: Int) -> Batch {
        writing = waiting.takeFirst(count: count, cost: cost)
        return Batch(clears: writing.clears, writes: writing.inOrder)
    }

    /// Ends the batch, which the disk has, and returns what it held, to be let go outside of any lock.
    mutating func finish() -> ChangeSet {
        batches += 1
        defer { writing = ChangeSet() }
        return writing
    }

    /// Ends the batch: the disk refused it.
    mutating func fail() {
        let failed = writing
        writing = ChangeSet()
        if failed.clears { waiting.clears = true }
        for (key, write) in failed.inOrder {
            if write.entry != nil { dropped += 1 }
            guard let rest = write.afterRefusal else { continue }
            waiting[key] = waiting[key].map { rest.followed(by: $0) } ?? rest
        }
    }

    /// Forgets all changes that wait, since another process writes now.
    mutating func forgetAll() {
        dropped += waiting.inOrder.count { $0.write.entry != nil }
        waiting = ChangeSet()
    }

    /// Drops the values that wait, since the disk takes none; removals stay.
    mutating func dropWaitingValues() {
        // What the writer has taken is its own affair.
        let taken = writing
        writing = waiting
        waiting = ChangeSet()
        fail()
        writing = taken
    }
}

extension StagedWrites.Lookup {
    fileprivate func patched(_ metadata: [UInt8]) -> StagedWrites.Lookup {
        switch self {
        case .entry(let entry): .entry(StoredEntry(metadata: metadata, bytes: entry.bytes))
        case .absent: .absent
        case .onDisk: .onDisk(metadata: metadata)
        }
    }
}
