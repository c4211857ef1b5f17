import CalotypeStore
import TaskFlow

/// The changes that a store has not made yet, key by key: the rules, without locks or tasks.
///
/// Changes of one key are made one after the other, those of different keys side by side. Each key with a change has one
/// writer, which ends when nothing is left to do.
struct PendingWrites {
    struct Change {
        var write: StagedWrite
        /// Its share of the room for writes.
        var permit: Permit
    }

    private struct Entry {
        /// What the writer has given to the store.
        var writing: Change?
        /// What comes after it.
        var waiting: Change?
    }

    private var entries: [StoreKey: Entry] = [:]

    /// The keys that have a change.
    var count: Int { entries.count }

    /// What the changes of `key` amount to; `nil` if there is none.
    func change(of key: StoreKey) -> StagedWrite? {
        guard let entry = entries[key] else { return nil }
        guard let writing = entry.writing?.write else { return entry.waiting?.write }
        return entry.waiting.map { writing.followed(by: $0.write) } ?? writing
    }

    /// Adds a change.
    ///
    /// - Returns: Whether a writer has to be started, and a permit to be released outside of any lock.
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
        entry.waiting = Change(write: waiting.write.followed(by: change.write), permit: kept)
        entries[key] = entry
        return (false, released)
    }

    /// What the writer of `key` does next; `nil` when nothing is left, and the writer ends.
    mutating func next(for key: StoreKey) -> StagedWrite? {
        guard let next = entries[key]?.waiting else {
            entries[key] = nil
            return nil
        }
        entries[key] = Entry(writing: next)
        return next.write
    }

    /// The store has made the change, or has refused it: then the old value must not be found in place of the new one.
    ///
    /// - Returns: A permit to be released outside of any lock.
    mutating func finish(_ key: StoreKey, isRefused: Bool) -> Permit? {
        guard var entry = entries[key], let writing = entry.writing else { return nil }
        entry.writing = nil
        defer { entries[key] = entry }
        // A store that refuses to remove a value is not asked again.
        guard isRefused, writing.write != .remove, let rest = writing.write.afterRefusal else {
            return writing.permit
        }
        guard let waiting = entry.waiting else {
            entry.waiting = Change(write: rest, permit: writing.permit)
            return nil
        }
        entry.waiting?.write = rest.followed(by: waiting.write)
        return writing.permit
    }

    /// Forgets what is left to do for `key`, because nothing runs any more that could do it.
    mutating func abandon(_ key: StoreKey) -> [Permit] {
        guard let entry = entries.removeValue(forKey: key) else { return [] }
        return [entry.writing, entry.waiting].compactMap { $0?.permit }
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
