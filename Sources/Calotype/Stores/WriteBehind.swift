import CalotypeCore
import CalotypeStore
import TaskFlow

/// The way to the store: reads are waited for, writes go on in the background after their callers were answered.
///
/// A store that fails or does not answer in time has nothing, and loses what it was given; the load goes on without it.
final class WriteBehind: Sendable {
    /// Bytes that wait to be written; what comes on top is lost, for no load waits for a slow store.
    private static let pendingBytes = ByteCount.mebibytes(16).bytes
    /// How long a look-up may take, on the pipeline's clock.
    static let patience = Duration.seconds(5)

    private let store: any EntryStoring
    private let background: TaskScope
    private let clock: any Clock<Duration>
    private let pending = AdmissionGate(capacity: WriteBehind.pendingBytes)
    private let stored = Guarded(0)

    init(_ store: any EntryStoring, background: TaskScope, clock: any Clock<Duration>) {
        self.store = store
        self.background = background
        self.clock = clock
    }

    /// The entries that were given to the store, and not refused so far.
    var storedCount: Int { stored.withLock { $0 } }

    /// What the store has.
    ///
    /// - Throws: `CancellationError` when nobody wants it any more.
    func entry(for key: StoreKey) async throws -> StoredEntry? {
        do {
            let entry = try await TaskTrace.span("look-up", category: "store") {
                try await withTimeout(Self.patience, clock: clock) { [store] in
                    try await store.value(for: key)
                }
            }
            // A store that does not heed the cancel comes back late.
            try Task.checkCancellation()
            return entry
        } catch {
            try Task.checkCancellation()
            LoadEvents.emit(.storeFailed)
            return nil
        }
    }

    /// Looks up what the store has for a caller who waits without a task, where the store can; see
    /// ``EntryStoring/lookUp(_:ifWanted:_:)``.
    func lookUp(
        _ key: StoreKey,
        ifWanted isWanted: @escaping @Sendable () -> Bool,
        _ answer: @escaping @Sendable (StoredEntry?) -> Void
    ) -> Bool {
        store.lookUp(key, ifWanted: isWanted, answer)
    }

    /// Waits until half of the room for writes is free; what is written then is not lost for want of room, as a rule.
    ///
    /// - Throws: `CancellationError`.
    func waitForRoom() async throws {
        // Behind all writes, which do not wait.
        try await pending.acquire(weight: Self.pendingBytes / 2, priority: .veryLow).release()
    }

    /// Has an entry written, in the place of another if `isAnew`; returns before it is.
    ///
    /// - Returns: Whether there was room for it.
    @discardableResult
    func write(_ entry: StoredEntry, for key: StoreKey, isAnew: Bool) -> Bool {
        perform(weight: entry.bytes.count, isEntry: true) { [store] in
            if isAnew {
                try await store.replaceValue(entry, for: key)
            } else {
                try await store.store(entry, for: key)
            }
        }
    }

    /// Has the metadata of an entry replaced.
    func replaceMetadata(_ metadata: [UInt8], for key: StoreKey) {
        perform(weight: metadata.count) { [store] in
            try await store.replaceMetadata(metadata, for: key)
        }
    }

    /// Has an entry removed.
    func remove(_ key: StoreKey) {
        perform(weight: 0) { [store] in try await store.removeValue(for: key) }
    }

    /// Runs `work` in the background, unless the store only reads; a store that is so far behind that there is no room loses it.
    @discardableResult
    private func perform(
        weight: Int,
        isEntry: Bool = false,
        _ work: @escaping @Sendable () async throws -> Void
    ) -> Bool {
        guard store.takesEntries else { return false }
        guard let permit = pending.tryAcquire(weight: weight) else {
            LoadEvents.emit(.storeFailed)
            return false
        }
        do {
            try background.start(name: "store", priority: .background) { [stored] in
                defer { permit.release() }
                do {
                    try await TaskTrace.span("write", category: "store", work)
                } catch {
                    if isEntry { stored.withLock { $0 -= 1 } }
                    LoadEvents.emit(.storeFailed)
                }
            }
            if isEntry { stored.withLock { $0 += 1 } }
            return true
        } catch {
            // The pipeline's scope was cancelled: there is nothing left that could write.
            permit.release()
            LoadEvents.emit(.storeFailed)
            return false
        }
    }
}
