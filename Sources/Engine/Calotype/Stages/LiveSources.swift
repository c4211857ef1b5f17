import TaskFlow

/// The complete sources that somebody still holds, so that whoever wants more of them need not ask the origin.
final class LiveSources: Sendable {
    private struct Entry {
        weak var source: LoadedSource?
    }

    private let entries = Guarded<[SourceKey: Entry]>([:])

    /// The number of sources that are held.
    var count: Int {
        entries.withLock { $0.count }
    }

    /// The source, if somebody holds it.
    func source(for key: SourceKey) -> LoadedSource? {
        entries.withLock { $0[key]?.source }
    }

    /// Remembers `source` as long as somebody holds it.
    func insert(_ source: LoadedSource, for key: SourceKey) {
        entries.withLock { $0[key] = Entry(source: source) }
    }

    /// Gives `source` to nobody else, though it is held.
    func withdraw(_ source: LoadedSource, for key: SourceKey) {
        let held = entries.withLock { entries in
            let held = entries[key]?.source
            if held === source { entries[key] = nil }
            return held
        }
        // Let go outside the lock, as in ``forget(_:)``.
        held?.stay()
    }

    /// Forgets the source that has just gone, unless a newer one has taken its place.
    func forget(_ key: SourceKey) {
        let newer = entries.withLock { entries in
            let source = entries[key]?.source
            if source == nil { entries[key] = nil }
            return source
        }
        // Let go outside the lock: this may be its last owner by now, and its end takes the lock again.
        newer?.stay()
    }
}
