import CalotypeCore
package import CalotypeStore
package import TaskFlow

/// The way to the store: look-ups are awaited, and writes continue in the background.
///
/// Readers see a change immediately, although the store may not have it yet. A store that fails or does not
/// respond in time counts as empty, and its writes are lost; loads continue without it.
package final class WriteBehind: Sendable {
    /// The maximum number of keys with pending changes; a removal takes no bytes.
    private static let pendingKeys = 65_536
    /// The maximum time of a look-up, on the pipeline's clock.
    package static let patience = Duration.seconds(5)

    private let store: any EntryStoring
    private let background: TaskScope
    private let clock: any Clock<Duration>
    /// Admits pending bytes; writes beyond that are dropped, because no load waits for a slow store.
    private let room: AdmissionGate
    private let pendingBytes: Int
    private let pending = Guarded(PendingWrites())
    private let stored = Guarded(0)
    /// The number of entries that the store had accepted before; `nil` if it does not count them.
    private let takenBefore: Int?

    /// Creates the way to `store`, with at most `pendingBytes` waiting to be written.
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

    /// The number of entries that the store has accepted.
    ///
    /// If it does not count them, this is the number of entries that it received and has not rejected.
    package var storedCount: Int {
        guard let takenBefore, let taken = store.storedCount else { return stored.withLock { $0 } }
        return taken - takenBefore
    }

    /// The number of keys with pending changes, and the room that the changes take.
    package var load: (keys: Int, weight: Int) { pending.withLock { ($0.count, $0.weight) } }

    /// Whether nothing is pending and all room is free.
    package var isQuiet: Bool { load.keys == 0 && room.snapshot.used == 0 && room.snapshot.waiting == 0 }

    /// Waits until the store has accepted or rejected the changes so far.
    ///
    /// Returns at the latest when a look-up would have timed out.
    package func flush() async {
        // Nobody waits for a store that hangs: what is not written by then is written later.
        let ends = pending.withLock(\.ends)
        try? await withTimeout(Self.patience, clock: clock) { [store] in
            for end in ends { try await end.wait() }
            try await store.flush()
        }
    }

    /// Returns the entry in the store as it will be after all pending changes.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func entry(for key: StoreKey) async throws -> StoredEntry? {
        while true {
            let change = pending.withLock { $0.change(of: key) }
            switch change {
            case .store(let entry), .replace(let entry): return entry
            case .remove: return nil
            case nil: return try await find(key)
            case .metadata(let metadata):
                var entry = try await find(key)
                // Since then the store may have received another entry, which the metadata does not describe.
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
            // A store that ignores cancellation returns late.
            try Task.checkCancellation()
            return entry
        } catch {
            try Task.checkCancellation()
            LoadEvents.emit(.storeFailed)
            return nil
        }
    }

    /// Waits until half of the room for writes is free, so that the next write is usually not dropped.
    ///
    /// - Throws: `CancellationError`.
    package func waitForRoom() async throws {
        // Behind all writes, which do not wait.
        try await room.waitForRoom(pendingBytes / 2, priority: .veryLow)
    }

    /// Writes an entry in the background, replacing another if `isAnew`.
    ///
    /// - Returns: Whether there was room for it.
    @discardableResult
    package func write(_ entry: StoredEntry, for key: StoreKey, isAnew: Bool) -> Bool {
        if perform(isAnew ? .replace(entry) : .store(entry), for: key) { return true }
        // Otherwise the old entry would be found in place of the one that there is no room for.
        if isAnew { remove(key) }
        return false
    }

    /// Replaces the metadata of an entry in the background.
    package func replaceMetadata(_ metadata: [UInt8], for key: StoreKey) {
        _ = perform(.metadata(metadata), for: key)
    }

    /// Removes an entry in the background.
    package func remove(_ key: StoreKey) {
        _ = perform(.remove, for: key)
    }

    /// Removes the entries of a group, or all if it is `nil`, and waits until the store has done so.
    ///
    /// - Throws: `CalotypeError` if the store does not remove them; `CancellationError`.
    package func removeEntries(in group: StoreGroup?) async throws {
        try await finishRemoving {
            group?.contains($0.group) ?? true
        } _: { store in
            if let group { try await store.removeEntries(in: group) } else { try await store.removeAll() }
        }
    }

    /// Removes an entry, and waits until the store has done so.
    ///
    /// - Throws: `CalotypeError` if the store does not remove it; `CancellationError`.
    package func removeEntry(for key: StoreKey) async throws {
        try await finishRemoving {
            $0 == key
        } _: { store in
            try await store.removeValue(for: key)
        }
    }

    private func finishRemoving(
        where isUnwanted: (StoreKey) -> Bool,
        _ removal: (any EntryStoring) async throws -> Void
    ) async throws {
        let (ends, released) = pending.withLock { $0.removeAll(where: isUnwanted) }
        for permit in released { permit.release() }
        guard store.takesEntries else { throw Self.readOnly }
        do {
            for end in ends { try await end.wait() }
            try await removal(store)
            try await store.flush()
        } catch {
            try Task.checkCancellation()
            throw CalotypeError(.storageFailed, "the store could not remove entries: \(error)", stage: .store)
        }
    }

    private static var readOnly: CalotypeError {
        CalotypeError(
            .storageFailed,
            "the store removes nothing at the moment: another process writes to it, or its folder cannot be used",
            stage: .store
        )
    }

    /// Makes a change in the background, unless the store is read-only or there is no room.
    private func perform(_ write: StagedWrite, for key: StoreKey) -> Bool {
        guard store.takesEntries else { return false }
        // A removal needs no room: otherwise an invalid entry would be found for lack of room.
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
            // The pipeline's scope was cancelled, so nothing can write any more.
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
