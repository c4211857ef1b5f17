internal import CalotypeCore
internal import CalotypeDigests
internal import TaskFlow

/// Values in a folder, bounded by their bytes, that are there again in the next run.
///
/// It forgets, but it never lies: each value has a checksum, and one that is damaged is a miss. Nothing is thrown to the
/// caller but `CancellationError`; a folder that cannot be used, a full disk, a damaged index make a cache that keeps
/// less, or nothing, and say so once to ``DiskCacheConfiguration/onNotice``.
///
/// Writing goes on behind the caller's back: a value can be read at once, and is on the disk a moment later. Looking up
/// and writing happen on threads of the cache's own. Of the values that do not fit, those go that were asked for least
/// (S3-FIFO). A process that opens a folder in which another one writes only reads.
///
/// Get one from ``withDiskCache(_:clock:_:)``.
public final class DiskCache: EntryStoring {
    let service: DiskCacheService
    /// How often a look-up may last until a batch of the writer has ended before a value is not stored.
    private static let storeTries = 4

    init(_ service: DiskCacheService) {
        self.service = service
    }

    /// What the cache holds, and what it did so far.
    public var snapshot: DiskCacheSnapshot { service.snapshot }

    /// Whether it writes: the folder can be used, and no other process writes there.
    public var takesEntries: Bool { snapshot.isOwner }

    /// The values that were written.
    public var storedCount: Int? { snapshot.stores }

    /// Looks up the entry of `key`, and counts that as a use.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled while it waits.
    public func value(for key: StoreKey) async throws -> StoredEntry? {
        guard let digest = digest(key) else { return nil }
        let entry = try await entry(for: digest)
        service.count(entry, of: digest)
        return entry
    }

    /// Looks up the entry of `key` on a reader's thread, and counts that as a use.
    public func lookUp(
        _ key: StoreKey,
        ifWanted isWanted: @escaping @Sendable () -> Bool,
        _ answer: @escaping @Sendable (StoredEntry?) -> Void
    ) -> Bool {
        guard let digest = digest(key) else { return false }
        return service.reads.promise(
            { [service] reader in isWanted() ? service.entry(for: digest, reader) : nil },
            answer
        )
    }

    /// Stores `entry`, unless there is one for `key` already, which then stays.
    ///
    /// - Returns: The entry that was there first; otherwise `entry`, even where it is not kept.
    /// - Throws: `CancellationError`, at once, when the task is cancelled while it waits.
    @discardableResult
    public func store(_ entry: StoredEntry, for key: StoreKey) async throws -> StoredEntry {
        guard let digest = digest(key) else { return entry }
        for _ in 0..<Self.storeTries {
            let batches = service.mailbox.look(\.batches)
            if let first = try await self.entry(for: digest) { return first }
            guard admits(entry) else { return entry }
            let answer = service.mailbox.change { staged -> StoredEntry?? in
                // A value that was written meanwhile may not have been found, and is no longer staged.
                guard staged.batches == batches else { return nil }
                return .some(staged.store(entry, for: digest))
            }
            if let answer { return answer ?? entry }
            sometimes("stored while a batch ended")
        }
        service.publish { $0.dropped += 1 }
        return entry
    }

    /// Stores `entry` in place of the one for `key`, if there is one.
    ///
    /// An entry that is not kept removes the old one all the same.
    public func replaceValue(_ entry: StoredEntry, for key: StoreKey) {
        guard let digest = digest(key) else { return }
        if admits(entry) {
            service.mailbox.change { $0.replace(entry, for: digest) }
        } else {
            service.mailbox.change { $0.remove(digest) }
        }
    }

    /// Replaces the metadata of the entry for `key`, if there is one, without writing its value anew.
    public func replaceMetadata(_ metadata: [UInt8], for key: StoreKey) async {
        guard let digest = digest(key), metadata.count <= BlobHeader.metadataLimit.bytes else { return }
        service.mailbox.change { $0.replaceMetadata(metadata, for: digest) }
    }

    /// Forgets the entry of `key`, if there is one.
    public func removeValue(for key: StoreKey) {
        guard let digest = digest(key) else { return }
        service.mailbox.change { $0.remove(digest) }
    }

    /// Forgets all entries; what is counted is counted on.
    public func removeAll() {
        service.mailbox.change { $0.removeAll() }
    }

    // MARK: Within

    /// Header values are part of a key, so only its digest goes to the disk.
    private func digest(_ key: StoreKey) -> Digest? {
        // Where the system's library makes no digests there is no cache.
        try? Digest(.sha256, of: key.text)
    }

    private func admits(_ entry: StoredEntry) -> Bool {
        let isSmall = entry.bytes.count <= service.configuration.entryLimit.bytes
        if isSmall, entry.metadata.count <= BlobHeader.metadataLimit.bytes { return true }
        service.publish { $0.dropped += 1 }
        return false
    }

    private func entry(for key: Digest) async throws -> StoredEntry? {
        switch service.mailbox.look({ $0.lookup(key) }) {
        case .entry(let entry): return entry
        case .absent: return nil
        case .onDisk: return try await service.reads.run { [service] in service.find(key, $0) }
        }
    }
}
