public import CalotypeCore
internal import CalotypeDigests
internal import Glibc
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

    /// Yes: where the disk hangs, a look-up finds nothing after four to five seconds.
    public var endsLookUps: Bool { true }

    /// Looks up the entry of `key`, and counts that as a use.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled while it waits.
    public func value(for key: StoreKey) async throws -> StoredEntry? {
        guard let digest = digest(key) else { return nil }
        let entry = try await entry(for: digest)
        service.count(entry, of: digest)
        return entry
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

    /// Stores an entry that a look-up did not find, without another look-up: the writer keeps one that is there after all.
    public func insert(_ entry: StoredEntry, for key: StoreKey) async {
        guard let digest = digest(key), admits(entry) else { return }
        service.mailbox.change { _ = $0.store(entry, for: digest) }
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
        case .onDisk: return try await service.reads.lookUp { [service] in service.find(key, $0) }
        }
    }
}

/// Runs `body` with a disk cache, and returns when all is written and closed.
///
/// The cache is open, or known to be of no use, before `body` starts. After `body` what is staged is written; that takes
/// as long as the disk needs, and is not cut short by cancellation.
///
/// - Parameters:
///   - configuration: Where the cache is, and how much it keeps.
///   - clock: What measures its delays.
///   - body: Uses the cache; it may hand it on, because a cache whose scope has ended finds and keeps nothing.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
public func withDiskCache<Output>(
    _ configuration: DiskCacheConfiguration,
    clock: any Clock<Duration> = ContinuousClock(),
    _ body: (DiskCache) async throws -> Output
) async throws -> Output {
    try await withDiskCache(configuration, clock: clock, milliseconds: millisecondsSince1970, body)
}

/// The same, with a clock of the test's own for the date.
package func withDiskCache<Output>(
    _ configuration: DiskCacheConfiguration,
    clock: any Clock<Duration> = ContinuousClock(),
    milliseconds: @escaping @Sendable () -> Int64,
    _ body: (DiskCache) async throws -> Output
) async throws -> Output {
    let service = DiskCacheService(configuration, clock: clock, milliseconds: milliseconds)
    // One thread writes, and one is left for a reader when another is at a long check.
    let threads = ThreadExecutor(name: "disk cache", threads: max(configuration.readers, 1) + 1)
    let scope = TaskScope(executor: threads)
    do {
        try threads.start()
        try scope.start(name: "disk cache") { await service.run() }
    } catch {
        service.giveUp("\(error)")
    }
    let result: Result<Output, any Error>
    do {
        await service.opened.waitUncancelled()
        result = .success(try await body(DiskCache(service)))
    } catch {
        result = .failure(error)
    }
    service.mailbox.end()
    await scope.end(.drain)
    await threads.shutdown()
    return try result.get()
}

private func millisecondsSince1970() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

/// Where a disk cache is, and how much it keeps.
public struct DiskCacheConfiguration: Sendable {
    /// The folder; it is created, for this user alone, where there is none.
    public var folder: String
    /// The most bytes that all values and their metadata take on the disk, 1 GiB by default; it holds at any moment.
    ///
    /// The index comes on top, a few hundred bytes for each entry, and its log of at most about 64 MiB.
    public var limit = ByteCount.mebibytes(1024)
    /// The largest value that is kept in the index instead of a file of its own, 32 KiB by default.
    public var inlineLimit = ByteCount.kibibytes(32)
    /// The largest value that is kept at all, 8 MiB by default.
    ///
    /// A value larger than a hundredth of ``limit`` is kept when it is stored for the second time.
    public var entryLimit = ByteCount.mebibytes(8)
    /// The bytes of values that may wait in memory to be written, 64 MiB by default; more are not kept.
    public var stagingLimit = ByteCount.mebibytes(64)
    /// The number of threads that read, two by default.
    public var readers = 2
    /// Whether the cache only looks values up, and takes no part in the decision who may write; no by default.
    public var isReadOnly = false
    /// What is told of trouble: once for each kind, not for each value; nothing by default.
    ///
    /// It is called on a thread of the cache and should return soon.
    public var onNotice: (@Sendable (String) -> Void)?

    /// What the log of the index may take: beyond it nothing is stored until it is brought back into the index.
    package var logLimit = ByteCount.mebibytes(64)

    /// Describes a cache in `folder` with the default limits.
    public init(folder: String) {
        self.folder = folder
    }
}

/// What a disk cache holds, and what it did since it was opened.
public struct DiskCacheSnapshot: Hashable, Sendable {
    /// What the cache can do now.
    public enum Access: Hashable, Sendable {
        /// It is being opened.
        case opening
        /// It reads and writes.
        case owner
        /// It reads what another process keeps, or what cannot be written now, and stores nothing.
        case reader
        /// It finds and keeps nothing, because of the reason; it tries again every 30 seconds.
        case unusable(String)
        /// Its scope has ended.
        case ended
    }

    /// What the cache can do now.
    public internal(set) var access = Access.opening
    /// Why it cannot be written, where it only reads for that reason, and not because another process writes.
    public internal(set) var unwritable: String?
    /// Whether the folder holds the cache of a newer Calotype, which is not touched.
    public internal(set) var isNewer = false
    /// The number of entries on the disk; in a reader, when it was opened.
    public internal(set) var entries = 0
    /// What values and metadata take on the disk; in a reader, when it was opened.
    public internal(set) var bytes = ByteCount(0)
    /// What waits in memory to be written.
    public internal(set) var stagedBytes = ByteCount(0)
    /// The look-ups that found a value.
    public internal(set) var hits = 0
    /// The look-ups that found none.
    public internal(set) var misses = 0
    /// The values that were written.
    public internal(set) var stores = 0
    /// The values that were not kept: too large, too many at once, or the disk refused them.
    public internal(set) var dropped = 0
    /// The values that were removed to make room.
    public internal(set) var evicted = 0
    /// The values that were removed because something was wrong with them.
    public internal(set) var quarantined = 0
    /// The values that were found in files and entered in the index anew.
    public internal(set) var recovered = 0
    /// Whether the files are being compared with the index, after a crash or damage.
    public internal(set) var isRepairing = false

    /// Whether it reads and writes.
    public var isOwner: Bool { access == .owner }
}
