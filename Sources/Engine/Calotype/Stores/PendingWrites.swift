import CalotypeStore
import TaskFlow

/// The changes that a store has not made yet, by key; it has no locks or tasks.
///
/// Changes of one key are made one after another; changes of different keys can be made at the same time. Each
/// key with a change has one writer, which ends when nothing is left to do.
struct PendingWrites {
    struct Change {
        var write: StagedWrite
        /// Its share of the memory for pending writes; removals need none.
        var permit: Permit?
        /// Set when this change and the changes merged into it have been made or refused.
        var ends = [Latch<Void>()]

        /// Releases the memory and signals the end; call this outside any lock.
        func end() {
            permit?.release()
            for end in ends { end.set(()) }
        }
    }

    private struct Entry {
        /// The change that the writer has passed to the store.
        var writing: Change?
        /// The change to make next.
        var waiting: Change?
    }

    private var entries: [StoreKey: Entry] = [:]

    /// The number of keys that have a change.
    var count: Int { entries.count }

    /// The memory that the changes use.
    var weight: Int {
        entries.values.reduce(0) { sum, entry in
            sum + (entry.writing?.permit?.weight ?? 0) + (entry.waiting?.permit?.weight ?? 0)
        }
    }

    /// The latches that are set when all current changes have been made or refused.
    var ends: [Latch<Void>] {
        entries.keys.flatMap(ends)
    }

    /// The combined changes of `key`; `nil` if there are none.
    func change(of key: StoreKey) -> StagedWrite? {
        guard let entry = entries[key] else { return nil }
        guard let writing = entry.writing?.write else { return entry.waiting?.write }
        return entry.waiting.map { writing.followed(by: $0.write) } ?? writing
    }

    /// Adds a removal to the changes of each key that `isUnwanted` names.
    ///
    /// - Returns: The latches that are set when all of these have been made or refused, and permits to release
    ///   outside any lock.
    mutating func removeAll(where isUnwanted: (StoreKey) -> Bool) -> (ends: [Latch<Void>], released: [Permit])
    {
        let keys = entries.keys.filter(isUnwanted)
        let released = keys.compactMap { add(Change(write: .remove), for: $0).released }
        return (keys.flatMap(ends), released)
    }

    private func ends(of key: StoreKey) -> [Latch<Void>] {
        [entries[key]?.writing, entries[key]?.waiting].flatMap { $0?.ends ?? [] }
    }

    /// Adds a change.
    ///
    /// - Returns: Whether to start a writer, and a permit to release outside any lock.
    mutating func add(_ change: Change, for key: StoreKey) -> (needsWriter: Bool, released: Permit?) {
        guard var entry = entries[key] else {
            entries[key] = Entry(waiting: change)
            return (true, nil)
        }
        guard let waiting = entry.waiting else {
            entry.waiting = change
            entries[key] = entry
            return (false, nil)
        }
        let isFirstKept = waiting.write.keepsBytes(before: change.write)
        let (kept, released) = isFirstKept ? (waiting.permit, change.permit) : (change.permit, waiting.permit)
        let write = waiting.write.followed(by: change.write)
        entry.waiting = Change(write: write, permit: kept, ends: waiting.ends)
        entries[key] = entry
        return (false, released)
    }

    /// The next change for the writer of `key`; `nil` if the writer must end.
    mutating func next(for key: StoreKey) -> StagedWrite? {
        guard let next = entries[key]?.waiting else {
            entries[key] = nil
            return nil
        }
        entries[key] = Entry(writing: next)
        return next.write
    }

    /// Records that the store has made or refused the change.
    ///
    /// After a refusal, the old value must not be found instead of the new one, so it is removed.
    ///
    /// - Returns: The change, to be ended outside any lock; `nil` if something is left to do.
    mutating func finish(_ key: StoreKey, isRefused: Bool) -> Change? {
        guard var entry = entries[key], let writing = entry.writing else { return nil }
        entry.writing = nil
        defer { entries[key] = entry }
        guard isRefused, let rest = writing.write.afterRefusal else { return writing }
        guard let waiting = entry.waiting else {
            // A removal that the store refused is repeated only when there is a new value to store.
            guard writing.write != .remove else { return writing }
            entry.waiting = Change(write: rest, permit: writing.permit, ends: writing.ends)
            return nil
        }
        entry.waiting?.write = rest.followed(by: waiting.write)
        entry.waiting?.ends += writing.ends
        return Change(write: writing.write, permit: writing.permit, ends: [])
    }

    /// Discards the remaining changes of `key`, because no writer is left to make them.
    ///
    /// - Returns: The changes, to be ended outside any lock.
    mutating func abandon(_ key: StoreKey) -> [Change] {
        guard let entry = entries.removeValue(forKey: key) else { return [] }
        return [entry.writing, entry.waiting].compactMap { $0 }
    }
}

extension StagedWrite {
    /// Whether ``followed(by:)`` keeps this change's bytes, and not those of `later`.
    fileprivate func keepsBytes(before later: StagedWrite) -> Bool {
        switch later {
        case .store: entry != nil
        case .metadata: true
        case .replace, .remove: false
        }
    }
}
