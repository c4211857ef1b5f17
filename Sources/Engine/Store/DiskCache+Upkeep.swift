public import CalotypeCore
internal import CalotypeDigests
import CalotypeFiles
internal import CalotypePlatform
internal import TaskFlow

extension DiskCache {
    /// Whether a folder holds a cache, and whether it is in use.
    public enum FolderState: Hashable, Sendable {
        /// There is no cache.
        case missing
        /// No process writes in the cache.
        case free
        /// A process, this one or another, writes in the cache.
        case owned
        /// The folder cannot be examined, for the given reason.
        case unusable(String)
    }

    /// Checks whether `folder` contains a cache, and whether a process writes in it now.
    public static func state(of folder: String) -> FolderState {
        do throws(SystemError) {
            let folder = try CacheFolder(opening: folder)
            guard folder.indexIdentity != nil else { return .missing }
            return try OwnerLock.isTaken(in: folder.root) ? .owned : .free
        } catch {
            return error.code == ENOENT ? .missing : .unusable(error.description)
        }
    }

    /// The time that another process usually needs at most between removing a file and its row.
    private static let removalTime = Duration.milliseconds(200)

    /// Waits until everything stored before is on the disk, or is known not to get there.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func flush() async throws {
        let done = Latch<Void>()
        service.mailbox.ask(.flush(done))
        try await done.wait()
    }

    /// Removes the least wanted entries until the rest takes at most `size`.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled; the work continues.
    public func trim(to size: ByteCount) async throws {
        let done = Latch<Void>()
        service.mailbox.ask(.trim(size, done))
        try await done.wait()
    }

    /// Verifies every entry and every file, and removes the damaged ones.
    ///
    /// Takes as long as reading the whole cache; look-ups continue meanwhile. A cache that does not own its
    /// folder only verifies.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func verify() async throws -> DiskCacheReport {
        try await flush()
        var report = DiskCacheReport()
        report.indexProblems = try await checkIndex()
        try await checkEntries(&report)
        let done = Latch<ScanCounts>()
        // After the damaged entries, since those are removed first.
        service.mailbox.ask(.scan(done))
        let counts = try await done.wait()
        report.files = counts.known
        report.recoveredFiles = counts.recovered
        report.removedFiles = counts.removed
        return report
    }

    private func checkIndex() async throws -> [String] {
        let problems = try await service.reads.run { reader -> [String] in
            do { return try reader?.check() ?? [] } catch { return ["\(error)"] }
        }
        if let first = problems.first { service.mailbox.reportDamage(first) }
        return problems
    }

    private func checkEntries(_ report: inout DiskCacheReport) async throws {
        var last: Int64 = 0
        while true {
            let start = last
            let quarantined = snapshot.quarantined
            let page = try await service.reads.run { [service] in service.check(after: start, $0) }
            guard let page else { return }
            report.checked += page.outcomes.count
            var suspicions: [Suspicion] = []
            for outcome in page.outcomes {
                switch outcome {
                case .damaged(let suspicion): suspicions.append(suspicion)
                case .unreadable: report.unreadable += 1
                case .hit, .absent: break
                }
            }
            if !suspicions.isEmpty {
                report.removed += try await confirm(suspicions, removedBefore: quarantined)
            }
            last = page.last
        }
    }

    /// Counts the entries that are really damaged: the file of an entry that is being removed goes before its
    /// row.
    private func confirm(_ suspicions: [Suspicion], removedBefore: Int) async throws -> Int {
        if takesEntries {
            // Only a limited number is remembered until they are removed.
            try await flush()
            return snapshot.quarantined - removedBefore
        }
        // The writer is in another process, and cannot be asked.
        try await service.clock.sleep(for: Self.removalTime)
        return try await service.reads.run { [service] reader in
            guard let reader else { return 0 }
            return suspicions.count { suspicion in
                guard case .damaged(let found) = service.lookUp(suspicion.key, reader) else { return false }
                return found.generation == suspicion.generation
            }
        }
    }
}

extension DiskCacheService {
    /// Looks up the next few entries after the entry `id`; `nil` at the end.
    fileprivate func check(
        after id: Int64,
        _ reader: IndexReader?
    ) -> (outcomes: [IndexReader.Outcome], last: Int64)? {
        guard let reader else { return nil }
        // A failure of the index here was reported by earlier look-ups.
        guard let (keys, last) = try? reader.keys(after: id, limit: 16) else { return nil }
        return (keys.map { lookUp($0, reader).withoutValue }, last)
    }
}

extension IndexReader.Outcome {
    /// The result without the value, which may be large.
    fileprivate var withoutValue: IndexReader.Outcome {
        if case .hit = self { .hit(StoredEntry(metadata: [], bytes: [])) } else { self }
    }
}

/// The result of verifying a whole cache.
public struct DiskCacheReport: Hashable, Sendable {
    /// The number of entries that were read and compared with their checksums.
    public internal(set) var checked = 0
    /// Problems in the structure of the index, in SQLite's words; none for a sound one.
    public internal(set) var indexProblems: [String] = []
    /// The number of damaged entries, which were removed; a cache that does not own its folder only counts
    /// them.
    public internal(set) var removed = 0
    /// The number of entries that could not be read for now, and were left.
    public internal(set) var unreadable = 0
    /// The number of files that the index knows.
    public internal(set) var files = 0
    /// The number of files that were unknown to the index and were entered in it.
    public internal(set) var recoveredFiles = 0
    /// The number of orphaned files, which were removed.
    public internal(set) var removedFiles = 0

    /// Whether nothing was wrong.
    public var isSound: Bool {
        indexProblems.isEmpty && removed == 0 && unreadable == 0 && recoveredFiles == 0 && removedFiles == 0
    }
}
