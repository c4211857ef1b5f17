internal import CalotypeDigests

/// The changes that wait for the writer and those that it is writing, with a bounded cost.
///
/// Staged changes take precedence over the disk, so a value can be read as soon as it is stored. Either set
/// has at most one change for each key.
struct StagedWrites: Sendable {
    /// Which changes may be staged.
    enum Acceptance: Sendable {
        case everything
        /// The disk accepts no values now; removals are remembered.
        case removals
        case nothing
    }

    /// What is known about a key without the disk.
    enum Lookup: Equatable {
        case entry(StoredEntry)
        case absent
        /// The disk decides; if it has the key, this is the metadata, if any.
        case onDisk(metadata: [UInt8]?)
    }

    /// The writer's next changes.
    struct Batch: Sendable {
        /// Whether everything is removed first.
        var clears = false
        /// The groups whose entries are removed first.
        var groups: Set<DigestGroup> = []
        var writes: [(key: Digest, write: StagedWrite)] = []
        /// The number of changes, with each removal of many as one.
        var count: Int { writes.count + groups.count + (clears ? 1 : 0) }
    }

    var acceptance = Acceptance.nothing
    /// The number of entries that could not be staged so far.
    private(set) var dropped = 0
    /// The number of batches that have ended.
    private(set) var batches = 0
    private let limit: Int
    private var waiting = ChangeSet()
    private var writing = ChangeSet()

    /// Creates an empty set with room for `limit` bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// The cost of all staged changes.
    var cost: Int { waiting.cost + writing.cost }
    /// The number of changes that wait for the writer.
    var waitingCount: Int { waiting.totalCount }
    var waitingCost: Int { waiting.cost }

    func lookup(_ key: Digest) -> Lookup {
        let later = waiting[key]
        if let entry = later?.entry { return .entry(entry) }
        if case .metadata(let metadata) = later { return lookup(key, in: writing).patched(metadata) }
        if later == .remove || waiting.removesEarlier(key) { return .absent }
        return lookup(key, in: writing)
    }

    private func lookup(_ key: Digest, in changes: ChangeSet) -> Lookup {
        switch changes[key] {
        case .store(let entry), .replace(let entry): .entry(entry)
        case .remove: .absent
        case .metadata(let metadata): .onDisk(metadata: metadata)
        case nil: changes.removesEarlier(key) ? .absent : .onDisk(metadata: nil)
        }
    }

    // MARK: Callers

    /// Stages an entry for a key that the disk does not have, and returns the previously staged one, if any.
    mutating func store(_ entry: StoredEntry, for key: Digest) -> StoredEntry? {
        if case .entry(let first) = lookup(key) { return first }
        if admits(entry) { stage(.store(entry), for: key) } else { dropped += 1 }
        return nil
    }

    mutating func replace(_ entry: StoredEntry, for key: Digest) {
        guard !admits(entry) else { return stage(.replace(entry), for: key) }
        dropped += 1
        // The old value must not be found in place of the one that has no room.
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
        // Removals are small, but their number is unlimited.
        guard cost <= 2 * limit else { return removeAll() }
        stage(.remove, for: key)
    }

    mutating func removeAll() {
        guard acceptance != .nothing else { return }
        waiting = ChangeSet()
        waiting.clears = true
    }

    /// Removes all entries of `group`.
    mutating func removeAll(in group: DigestGroup) {
        guard acceptance != .nothing else { return }
        guard cost <= 2 * limit else { return removeAll() }
        waiting.removeAll(in: [group])
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
        return Batch(clears: writing.clears, groups: writing.groups, writes: writing.inOrder)
    }

    /// Ends a batch that was written, and returns its changes, to be released outside any lock.
    mutating func finish() -> ChangeSet {
        batches += 1
        defer { writing = ChangeSet() }
        return writing
    }

    /// Ends a batch that the disk refused.
    mutating func fail() {
        let failed = writing
        writing = ChangeSet()
        if failed.clears { waiting.clears = true }
        waiting.removeEarlier(in: failed.groups)
        for (key, write) in failed.inOrder {
            if write.entry != nil { dropped += 1 }
            guard let rest = write.afterRefusal else { continue }
            waiting[key] = waiting[key].map { rest.followed(by: $0) } ?? rest
        }
    }

    /// Forgets all waiting changes, because another process writes now.
    mutating func forgetAll() {
        dropped += waiting.inOrder.count { $0.write.entry != nil }
        waiting = ChangeSet()
    }

    /// Drops the waiting values, because the disk accepts none; removals stay.
    mutating func dropWaitingValues() {
        // What the writer has taken stays with it.
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
