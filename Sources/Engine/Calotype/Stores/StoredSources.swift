import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeStore

/// The cached sources: their bytes in the persistent store, and the absence of sources also in memory.
final class StoredSources: Sendable {
    struct Found: Sendable {
        /// The cached data; `nil` if there is nothing useful.
        let record: SourceRecord?
        let verdict: CacheJudge.Verdict
    }

    private static let absences = MemoryCacheLimits(bytes: .mebibytes(1), count: 1_000)

    private let judge: CacheJudge
    private let lasting: SourceStore?
    private let contents: StoredContents
    private let absences: MemoryCache<SourceKey, SourceVersion>
    private let changes: SourceChanges

    /// Creates an empty cache; it uses `store` for `contents` only.
    init(
        _ store: SourceStore?,
        _ contents: StoredContents,
        _ judge: CacheJudge,
        _ changes: SourceChanges
    ) {
        self.changes = changes
        lasting = store
        self.contents = contents
        self.judge = judge
        // The approximate size of a key and a response head.
        absences = MemoryCache(limits: Self.absences) { _ in .kibibytes(1) }
    }

    /// The persistent store, if it stores sources of this kind.
    func store(for key: SourceKey) -> SourceStore? {
        contents.contains(key.content == .document ? .documents : .sources) ? lasting : nil
    }

    /// Looks the source up, and decides whether the result may be used.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func find(_ key: SourceKey) async throws -> Found {
        let nothing = Found(
            record: nil,
            verdict: key.cachePolicy == .cacheOnly ? .refuse : .ask(orServe: false)
        )
        guard key.cachePolicy.reads, case .web = key.place else { return nothing }
        if let version = absences.value(for: key.stored), !isOutdated(.absent(version), key),
            let found = judged(.absent(version), key)
        {
            return found
        }
        guard let record = try await store(for: key)?.record(for: key), !isOutdated(record, key) else {
            return nothing
        }
        return judged(record, key) ?? nothing
    }

    /// Whether the bytes are stored and need no revalidation.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func hasFreshBytes(_ key: SourceKey) async throws -> Bool {
        let found = try await find(key)
        guard case .bytes = found.record, case .serve(_, asksMeanwhile: false) = found.verdict else {
            return false
        }
        return true
    }

    /// Stores the bytes of a load that began at `moment` in the background, if the origin and the request allow
    /// it.
    ///
    /// - Returns: Whether the bytes will be written.
    func keep(
        _ input: CodecInput,
        _ version: SourceVersion?,
        for key: SourceKey,
        since moment: SourceChanges.Moment
    ) -> Bool {
        absences.removeValue(for: key.stored)
        // A spooled source is too large for a store of values in memory.
        guard let version, case .bytes(let bytes) = input, version.isKeepable else { return false }
        return write(.bytes(bytes, version), for: key, since: moment)
    }

    private func write(_ record: SourceRecord, for key: SourceKey, since moment: SourceChanges.Moment) -> Bool
    {
        guard let store = store(for: key), key.cachePolicy.writes else { return false }
        var isWritten = false
        changes.keeping(record.version, of: key.identity, since: moment) {
            isWritten = store.write(record, for: key)
        } undo: {
            store.forget(key)
            isWritten = false
        }
        return isWritten
    }

    private func isOutdated(_ record: SourceRecord, _ key: SourceKey) -> Bool {
        changes.isOutdated(record.version, of: key.identity)
    }

    /// Stores the new freshness of bytes that are still current.
    func renew(_ record: SourceRecord, for key: SourceKey, since moment: SourceChanges.Moment) {
        guard key.cachePolicy.writes, let store = store(for: key) else { return }
        changes.keeping(record.version, of: key.identity, since: moment) {
            store.refresh(record, for: key)
        } undo: {
            store.forget(key)
        }
    }

    /// Removes the stored bytes.
    func forget(_ key: SourceKey) {
        store(for: key)?.forget(key)
    }

    /// Caches that the source does not exist, unless it is a document, whose absence may be temporary.
    func note(absence version: SourceVersion, for key: SourceKey, since moment: SourceChanges.Moment) {
        guard key.content != .document, key.cachePolicy.writes, version.isKeepable else { return }
        changes.keeping(version, of: key.identity, since: moment) {
            absences.replaceValue(version, for: key.stored)
        } undo: {
            absences.removeValue(for: key.stored)
        }
        _ = write(.absent(version), for: key, since: moment)
    }

    /// Forgets which sources of a group, or of all if it is `nil`, do not exist.
    func removeAbsences(in group: StoreGroup?) {
        absences.removeMembers(of: nil) { group?.contains($0.identity.group) ?? true }
    }

    func forgetAll() {
        absences.removeAll()
    }

    private func judged(_ record: SourceRecord, _ key: SourceKey) -> Found? {
        guard case .absent(let version) = record else {
            return Found(
                record: record,
                verdict: judge.verdict(record.version, key.headers, key.cachePolicy)
            )
        }
        // A policy that says a picture never changes does not say that it never appears.
        let policy = key.cachePolicy == .immutable ? .use : key.cachePolicy
        let verdict = judge.verdict(version, key.headers, policy)
        guard case .serve(_, asksMeanwhile: false) = verdict else { return nil }
        return Found(record: record, verdict: verdict)
    }
}

extension SourceKey {
    /// The key in the cache, whatever the request's cache policy.
    fileprivate var stored: SourceKey { cachePolicy == .use ? self : SourceKey(self, .use) }
}
