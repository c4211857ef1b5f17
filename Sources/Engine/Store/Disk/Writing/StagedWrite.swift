internal import CalotypeDigests

/// A change of one key that a store has not written yet.
package enum StagedWrite: Hashable, Sendable {
    /// Store the entry, unless the store has one for the key.
    case store(StoredEntry)
    /// Store the entry, replacing the stored one.
    case replace(StoredEntry)
    /// Replace the metadata of the stored entry.
    case metadata([UInt8])
    case remove

    /// The key's entry after the change, if the change alone determines it.
    package var entry: StoredEntry? {
        switch self {
        case .store(let entry), .replace(let entry): entry
        case .metadata, .remove: nil
        }
    }

    /// Its approximate size in memory.
    package var cost: Int {
        let bytes =
            switch self {
            case .store(let entry), .replace(let entry): entry.metadata.count + entry.bytes.count
            case .metadata(let metadata): metadata.count
            case .remove: 0
            }
        return bytes + 256
    }

    /// Returns one change with the effect of this one followed by `later`.
    package func followed(by later: StagedWrite) -> StagedWrite {
        switch (self, later) {
        case (.store, .store), (.replace, .store): self
        case (.remove, .store(let entry)): .replace(entry)
        case (.store(let entry), .metadata(let metadata)):
            .store(StoredEntry(metadata: metadata, bytes: entry.bytes))
        case (.replace(let entry), .metadata(let metadata)):
            .replace(StoredEntry(metadata: metadata, bytes: entry.bytes))
        case (.remove, .metadata): .remove
        case (.metadata, .store), (.metadata, .metadata), (_, .replace), (_, .remove): later
        }
    }

    /// What remains of a change that the store refused: an old value must not be found in place of a newer
    /// one.
    package var afterRefusal: StagedWrite? {
        switch self {
        case .replace, .remove: .remove
        case .store, .metadata: nil
        }
    }
}

/// Changes in the order in which their keys arrived, one for each key.
struct ChangeSet: Sendable {
    /// Whether everything stored before the changes is removed.
    var clears = false
    /// The groups of which everything stored before the changes is removed.
    private(set) var groups: Set<DigestGroup> = []
    private(set) var cost = 0
    private var changes: [Digest: StagedWrite] = [:]
    private var order: [Digest] = []
    /// The position of the first key in the order that has not been taken.
    private var head = 0

    var count: Int { changes.count }

    /// The number of changes, with each removal of many as one.
    var totalCount: Int { count + groups.count + (clears ? 1 : 0) }

    /// Whether the key's entry is removed if it was stored before the changes.
    func removesEarlier(_ key: Digest) -> Bool {
        clears || groups.contains { $0.contains(key) }
    }

    /// Removes all entries of the groups, those of earlier changes too.
    mutating func removeAll(in removed: Set<DigestGroup>) {
        for (key, _) in inOrder where removed.contains(where: { $0.contains(key) }) { self[key] = .remove }
        removeEarlier(in: removed)
    }

    /// Removes the entries of the groups that were stored before the changes.
    mutating func removeEarlier(in removed: Set<DigestGroup>) {
        cost += removed.subtracting(groups).count * StagedWrite.remove.cost
        groups.formUnion(removed)
    }

    /// The changes, oldest first.
    var inOrder: [(key: Digest, write: StagedWrite)] {
        order[head...].compactMap { key in changes[key].map { (key, $0) } }
    }

    /// The change of `key`; a new one takes the place of the previous one.
    subscript(key: Digest) -> StagedWrite? {
        get { changes[key] }
        set {
            guard let newValue else { preconditionFailure("a staged change is taken, never forgotten") }
            if let old = changes.updateValue(newValue, forKey: key) {
                cost -= old.cost
            } else {
                order.append(key)
            }
            cost += newValue.cost
        }
    }

    /// Takes the oldest changes: at most `count`, and after the first no more than `cost` together.
    mutating func takeFirst(count: Int, cost limit: Int) -> ChangeSet {
        var taken = ChangeSet()
        taken.clears = clears
        clears = false
        taken.removeEarlier(in: groups)
        cost -= groups.count * StagedWrite.remove.cost
        groups = []
        while taken.count < count, head < order.count {
            let key = order[head]
            guard let change = changes[key], taken.count == 0 || taken.cost + change.cost <= limit else {
                break
            }
            head += 1
            changes[key] = nil
            cost -= change.cost
            taken[key] = change
        }
        dropTakenKeys()
        return taken
    }

    private mutating func dropTakenKeys() {
        guard head > 64, head * 2 > order.count else { return }
        order.removeFirst(head)
        head = 0
    }
}
