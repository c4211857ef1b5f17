import CalotypeStore
import TaskFlow

/// The changes that a store has not made yet, key by key: the rules, without locks or tasks.
///
/// Changes of one key are made one after the other, those of different keys side by side. Each key with a change has one
/// writer, which ends when nothing is left to do.
struct PendingWrites {
    struct Change {
        var write: StagedWrite
        /// Its share of the room for writes; removals need none.
        var permit: Permit?
        /// Set when the change, and those that were joined with it, have been made or refused.
        var ends = [Latch<Void>()]

        /// Gives the room back; to be called outside of any lock.
        func end() {
            permit?.release()
            for end in ends { end.set(()) }
        }
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

    /// What the changes take of the room for writes.
    var weight: Int {
        entries.values.reduce(0) { sum, entry in
            sum + (entry.writing?.permit?.weight ?? 0) + (entry.waiting?.permit?.weight ?? 0)
        }
    }

    /// Set when the changes that there are now have been made or refused.
    var ends: [Latch<Void>] {
        entries.values.flatMap { [$0.writing, $0.waiting].compactMap { $0?.ends }.joined() }
    }

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
        let write = waiting.write.followed(by: change.write)
        entry.waiting = Change(write: write, permit: kept, ends: waiting.ends)
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
    /// - Returns: The change, to be ended outside of any lock; `nil` if something is left to do.
    mutating func finish(_ key: StoreKey, isRefused: Bool) -> Change? {
        guard var entry = entries[key], let writing = entry.writing else { return nil }
        entry.writing = nil
        defer { entries[key] = entry }
        guard isRefused, let rest = writing.write.afterRefusal else { return writing }
        guard let waiting = entry.waiting else {
            // A store that refuses to remove a value is not asked again, unless there is one to be put in its place.
            guard writing.write != .remove else { return writing }
            entry.waiting = Change(write: rest, permit: writing.permit, ends: writing.ends)
            return nil
        }
        entry.waiting?.write = rest.followed(by: waiting.write)
        entry.waiting?.ends += writing.ends
        return Change(write: writing.write, permit: writing.permit, ends: [])
    }

    /// Forgets what is left to do for `key`, because nothing runs any more that could do it.
    ///
    /// - Returns: The changes, to be ended outside of any lock.
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
