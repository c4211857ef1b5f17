public import CalotypeCore
internal import CalotypeDigests
internal import CalotypePlatform
internal import TaskFlow

/// Values in a folder, with a limit for their bytes, that survive into the next run.
///
/// It forgets, but it never lies: each value has a checksum, and a damaged one is a miss. Callers only ever
/// get a `CancellationError`; if the folder cannot be used, the disk is full or the index is damaged, the
/// cache stores less, or nothing, and reports it once to ``DiskCacheConfiguration/onNotice``.
///
/// Values are written in the background: a value can be read immediately, and is on the disk a moment later.
/// Reading and writing run on the cache's own threads. If values don't fit, the least used ones are removed
/// (S3-FIFO). A process that opens a folder in which another one writes only reads.
///
/// Get one from ``withDiskCache(_:clock:_:)``.
public final class DiskCache: EntryStoring {
    let service: DiskCacheService
    /// How many batches of the writer may end during a look-up before the value is not stored.
    private static let storeTries = 4

    init(_ service: DiskCacheService) {
        self.service = service
    }

    /// The current contents of the cache, and its counts so far.
    public var snapshot: DiskCacheSnapshot { service.snapshot }

    /// Whether it writes: the folder can be used, and no other process writes there.
    public var takesEntries: Bool { snapshot.isOwner }

    /// The number of values that were written.
    public var storedCount: Int? { snapshot.stores }

    /// True: if the disk hangs, a look-up finds nothing after four to five seconds.
    public var endsLookUps: Bool { true }

    /// Looks up the entry of `key`, and counts it as a use.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled while it waits.
    public func value(for key: StoreKey) async throws -> StoredEntry? {
        guard let digest = Digest(key) else { return nil }
        let entry = try await entry(for: digest, keepsTime: true)
        service.count(entry, of: digest)
        return entry
    }

    /// Stores `entry`, unless there is one for `key` already.
    ///
    /// - Returns: The existing entry; otherwise `entry`, even if it is not stored.
    /// - Throws: `CancellationError` as soon as the task is cancelled while it waits.
    @discardableResult
    public func store(_ entry: StoredEntry, for key: StoreKey) async throws -> StoredEntry {
        guard let digest = Digest(key) else { return entry }
        for _ in 0..<Self.storeTries {
            let batches = service.mailbox.look(\.batches)
            if let first = try await self.entry(for: digest) { return first }
            guard admits(entry) else { return entry }
            let answer = service.mailbox.change { staged -> StoredEntry?? in
                // A value that was written meanwhile may have been missed, and is no longer staged.
                guard staged.batches == batches else { return nil }
                return .some(staged.store(entry, for: digest))
            }
            if let answer { return answer ?? entry }
            sometimes("stored while a batch ended")
        }
        service.publish { $0.dropped += 1 }
        return entry
    }

    /// Stores an entry that a look-up did not find, without another look-up: the writer keeps one that exists
    /// after all.
    public func insert(_ entry: StoredEntry, for key: StoreKey) async {
        guard let digest = Digest(key), admits(entry) else { return }
        service.mailbox.change { _ = $0.store(entry, for: digest) }
    }

    /// Stores `entry`, replacing the one for `key`.
    ///
    /// If the new entry cannot be stored, the old one is removed all the same.
    public func replaceValue(_ entry: StoredEntry, for key: StoreKey) {
        guard let digest = Digest(key) else { return }
        if admits(entry) {
            service.mailbox.change { $0.replace(entry, for: digest) }
        } else {
            service.mailbox.change { $0.remove(digest) }
        }
    }

    /// Replaces the metadata of the entry for `key`, if there is one, without writing its value again.
    public func replaceMetadata(_ metadata: [UInt8], for key: StoreKey) async {
        guard let digest = Digest(key), metadata.count <= BlobHeader.metadataLimit.bytes else { return }
        service.mailbox.change { $0.replaceMetadata(metadata, for: digest) }
    }

    /// Removes the entry of `key`, if there is one.
    public func removeValue(for key: StoreKey) {
        guard let digest = Digest(key) else { return }
        service.mailbox.change { $0.remove(digest) }
    }

    /// Removes all entries; the counts continue.
    public func removeAll() {
        service.mailbox.change { $0.removeAll() }
    }

    /// Removes all entries of `group`; the counts continue.
    public func removeEntries(in group: StoreGroup) async {
        guard let group = DigestGroup(group) else { return }
        service.mailbox.change { $0.removeAll(in: group) }
    }

    // MARK: Within

    private func admits(_ entry: StoredEntry) -> Bool {
        let isSmall = entry.bytes.count <= service.configuration.entryLimit.bytes
        if isSmall, entry.metadata.count <= BlobHeader.metadataLimit.bytes { return true }
        service.publish { $0.dropped += 1 }
        return false
    }

    /// Looks the entry up; `keepsTime` is whether a look-up ends although the disk hangs.
    private func entry(for key: Digest, keepsTime: Bool = false) async throws -> StoredEntry? {
        switch service.mailbox.look({ $0.lookup(key) }) {
        case .entry(let entry): return entry
        case .absent: return nil
        case .onDisk:
            let find = { @Sendable [service] reader in service.find(key, reader) }
            return keepsTime ? try await service.reads.lookUp(find) : try await service.reads.run(find)
        }
    }
}

/// Runs `body` with a disk cache, and returns when everything is written and closed.
///
/// The cache is open, or known to be unusable, before `body` starts. After `body`, staged values are written;
/// that takes as long as the disk needs, even after a cancellation.
///
/// - Parameters:
///   - configuration: Where the cache is, and how much it stores.
///   - clock: The clock that measures its delays.
///   - body: Uses the cache; it may pass it on, because a cache whose scope has ended finds and stores
///     nothing.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
public func withDiskCache<Output>(
    _ configuration: DiskCacheConfiguration,
    clock: any Clock<Duration> = ContinuousClock(),
    _ body: (DiskCache) async throws -> Output
) async throws -> Output {
    try await withDiskCache(configuration, clock: clock, milliseconds: millisecondsSince1970, body)
}

/// Runs `body` with a disk cache that takes the date from a test's clock.
package func withDiskCache<Output>(
    _ configuration: DiskCacheConfiguration,
    clock: any Clock<Duration> = ContinuousClock(),
    milliseconds: @escaping @Sendable () -> Int64,
    _ body: (DiskCache) async throws -> Output
) async throws -> Output {
    let service = DiskCacheService(configuration, clock: clock, milliseconds: milliseconds)
    // One thread writes, and one is left for a reader while another runs a long check.
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

/// The location and the limits of a disk cache.
public struct DiskCacheConfiguration: Sendable {
    /// The folder; it is created for this user alone if it does not exist.
    public var folder: String
    /// The maximum size of all values and their metadata on the disk, 1 GiB by default; it is never exceeded.
    ///
    /// The index is extra: a few hundred bytes for each entry, and a log of at most about 64 MiB.
    public var limit = ByteCount.mebibytes(1024)
    /// The largest value to store in the index instead of a file, 32 KiB by default.
    public var inlineLimit = ByteCount.kibibytes(32)
    /// The largest value to store at all, 8 MiB by default.
    ///
    /// A value larger than a hundredth of ``limit`` is stored only when it is offered for the second time.
    public var entryLimit = ByteCount.mebibytes(8)
    /// The maximum size of values that wait in memory to be written, 64 MiB by default; further values are
    /// not stored.
    public var stagingLimit = ByteCount.mebibytes(64)
    /// The number of reading threads, two by default.
    public var readers = 2
    /// Whether the cache only reads, and never competes for the right to write; false by default.
    public var isReadOnly = false
    /// Receives reports of problems, once for each kind instead of each value; none by default.
    ///
    /// It is called on a thread of the cache and should return soon.
    public var onNotice: (@Sendable (String) -> Void)?

    /// The maximum size of the index's log: beyond it nothing is stored until the log is copied back into the
    /// index.
    package var logLimit = ByteCount.mebibytes(64)

    /// Creates a configuration for `folder` with the default limits.
    public init(folder: String) {
        self.folder = folder
    }
}

/// The contents of a disk cache, and its counts since it was opened.
public struct DiskCacheSnapshot: Hashable, Sendable {
    /// What the cache can do now.
    public enum Access: Hashable, Sendable {
        /// It is being opened.
        case opening
        /// It reads and writes.
        case owner
        /// It reads another process's entries, or those in a folder that cannot be written now, and stores
        /// nothing.
        case reader
        /// It finds and stores nothing, for the given reason; it tries again every 30 seconds.
        case unusable(String)
        /// Its scope has ended.
        case ended
    }

    /// What the cache can do now.
    public internal(set) var access = Access.opening
    /// Why it cannot be written, if that, and not another writing process, is why it only reads.
    public internal(set) var unwritable: String?
    /// Whether the folder contains the cache of a newer Calotype, which is not touched.
    public internal(set) var isNewer = false
    /// The number of entries on the disk; in a reader, at the time it was opened.
    public internal(set) var entries = 0
    /// The size of values and metadata on the disk; in a reader, at the time it was opened.
    public internal(set) var bytes = ByteCount(0)
    /// The size of what waits in memory to be written.
    public internal(set) var stagedBytes = ByteCount(0)
    /// The number of look-ups that found a value.
    public internal(set) var hits = 0
    /// The number of look-ups that found none.
    public internal(set) var misses = 0
    /// The number of values that were written.
    public internal(set) var stores = 0
    /// The number of values that were not stored: too large, too many at once, or refused by the disk.
    public internal(set) var dropped = 0
    /// The number of values that were removed to make room.
    public internal(set) var evicted = 0
    /// The number of values that were removed because they were damaged.
    public internal(set) var quarantined = 0
    /// The number of values that were found in files and entered in the index again.
    public internal(set) var recovered = 0
    /// Whether the files are being reconciled with the index, after a crash or damage.
    public internal(set) var isRepairing = false

    /// Whether it reads and writes.
    public var isOwner: Bool { access == .owner }
}
