package import CalotypeStore
package import TaskFlow

/// The way to the store: reads are waited for, writes go on in the background after their callers were answered.
///
/// Readers see a change from the moment it is made, though the store may not have it yet. A store that fails or does not
/// answer in time has nothing, and loses what it was given; the load goes on without it.
package final class WriteBehind: Sendable {
    /// Keys that wait to be written: removals take no bytes.
    private static let pendingKeys = 65_536
    /// How long a look-up may take, on the pipeline's clock.
    package static let patience = Duration.seconds(5)

    private let store: any EntryStoring
    private let background: TaskScope
    private let clock: any Clock<Duration>
    /// For the bytes that wait to be written; what comes on top is lost, for no load waits for a slow store.
    private let room: AdmissionGate
    private let pendingBytes: Int
    private let pending = Guarded(PendingWrites())
    private let stored = Guarded(0)
    /// What the store had taken before; `nil` where it does not count.
    private let takenBefore: Int?

    /// Creates the way to `store`; `pendingBytes` may wait to be written.
    package init(
        _ store: any EntryStoring,
        background: TaskScope,
        clock: any Clock<Duration>,
        pendingBytes: ByteCount = .mebibytes(16)
    ) {
        self.store = store
        self.pendingBytes = pendingBytes.bytes
        room = AdmissionGate(capacity: pendingBytes.bytes)
        self.background = background
        self.clock = clock
        takenBefore = store.storedCount
    }

    /// The entries that the store has taken; where it does not count them, those that it was given and has not refused.
    package var storedCount: Int {
        guard let takenBefore, let taken = store.storedCount else { return stored.withLock { $0 } }
        return taken - takenBefore
    }

    /// The keys that have changes to be made, and the room that those take.
    package var load: (keys: Int, weight: Int) { pending.withLock { ($0.count, $0.weight) } }

    /// Whether nothing is to be done, and all room is free.
    package var isQuiet: Bool { load.keys == 0 && room.snapshot.used == 0 && room.snapshot.waiting == 0 }

    /// Waits until the store has taken or refused what it was given before; not for longer than a look-up may take.
    package func flush() async {
        // A store that hangs, or an end that is near, is no reason to wait: what is not written by then is written later.
        let ends = pending.withLock(\.ends)
        try? await withTimeout(Self.patience, clock: clock) { [store] in
            for end in ends { try await end.wait() }
            try await store.flush()
        }
    }

    /// What the store has, or will have when it has made all changes.
    ///
    /// - Throws: `CancellationError` when nobody wants it any more.
    package func entry(for key: StoreKey) async throws -> StoredEntry? {
        while true {
            let change = pending.withLock { $0.change(of: key) }
            switch change {
            case .store(let entry), .replace(let entry): return entry
            case .remove: return nil
            case nil: return try await find(key)
            case .metadata(let metadata):
                var entry = try await find(key)
                // Meanwhile the store may have been given another entry, to which the metadata does not belong.
                guard pending.withLock({ $0.change(of: key) }) == change else { continue }
                entry?.metadata = metadata
                return entry
            }
        }
    }

    private func find(_ key: StoreKey) async throws -> StoredEntry? {
        do {
            let entry = try await TaskTrace.span("look-up", category: "store") {
                if store.endsLookUps { return try await store.value(for: key) }
                return try await withTimeout(Self.patience, clock: clock) { [store] in
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

    /// Waits until half of the room for writes is free; what is written then is not lost for want of room, as a rule.
    ///
    /// - Throws: `CancellationError`.
    package func waitForRoom() async throws {
        // Behind all writes, which do not wait.
        try await room.waitForRoom(pendingBytes / 2, priority: .veryLow)
    }

    /// Has an entry written, in the place of another if `isAnew`; returns before it is.
    ///
    /// - Returns: Whether there was room for it.
    @discardableResult
    package func write(_ entry: StoredEntry, for key: StoreKey, isAnew: Bool) -> Bool {
        if perform(isAnew ? .replace(entry) : .store(entry), for: key) { return true }
        // The old entry must not be found in place of the one that there is no room for.
        if isAnew { remove(key) }
        return false
    }

    /// Has the metadata of an entry replaced.
    package func replaceMetadata(_ metadata: [UInt8], for key: StoreKey) {
        _ = perform(.metadata(metadata), for: key)
    }

    /// Has an entry removed.
    package func remove(_ key: StoreKey) {
        _ = perform(.remove, for: key)
    }

    /// Has a change made in the background, unless the store only reads, or is so far behind that there is no room.
    private func perform(_ write: StagedWrite, for key: StoreKey) -> Bool {
        guard store.takesEntries else { return false }
        // Not for a removal: what must not be found any more would be found, for want of room.
        let permit = write == .remove ? nil : room.tryAcquire(weight: write.cost)
        guard write == .remove || permit != nil else {
            LoadEvents.emit(.storeFailed)
            return false
        }
        let added = pending.withLock { pending in
            pending.count < Self.pendingKeys
                ? pending.add(.init(write: write, permit: permit), for: key) : nil
        }
        guard let (needsWriter, released) = added else {
            permit?.release()
            LoadEvents.emit(.storeFailed)
            return false
        }
        released?.release()
        if write.entry != nil { stored.withLock { $0 += 1 } }
        guard needsWriter else { return true }
        do {
            try background.start(name: "store", priority: .utility) { await self.makeChanges(of: key) }
            return true
        } catch {
            // The pipeline's scope was cancelled: there is nothing left that could write.
            abandon(key)
            if write.entry != nil { stored.withLock { $0 -= 1 } }
            LoadEvents.emit(.storeFailed)
            return false
        }
    }

    private func makeChanges(of key: StoreKey) async {
        while let write = pending.withLock({ $0.next(for: key) }) {
            var isRefused = false
            do {
                try await TaskTrace.span("write", category: "store") { try await make(write, for: key) }
            } catch {
                isRefused = true
                if write.entry != nil { stored.withLock { $0 -= 1 } }
                LoadEvents.emit(.storeFailed)
                guard !Task.isCancelled else { return abandon(key) }
            }
            pending.withLock { $0.finish(key, isRefused: isRefused) }?.end()
        }
    }

    private func make(_ write: StagedWrite, for key: StoreKey) async throws {
        switch write {
        case .store(let entry): try await store.insert(entry, for: key)
        case .replace(let entry): try await store.replaceValue(entry, for: key)
        case .metadata(let metadata): try await store.replaceMetadata(metadata, for: key)
        case .remove: try await store.removeValue(for: key)
        }
    }

    private func abandon(_ key: StoreKey) {
        for change in pending.withLock({ $0.abandon(key) }) { change.end() }
    }
}
