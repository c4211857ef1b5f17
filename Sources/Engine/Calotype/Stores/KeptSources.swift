import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeStore

/// What is kept of sources: their bytes in the lasting store; that there are none, also in memory.
final class KeptSources: Sendable {
    struct Found: Sendable {
        /// What is kept; `nil` for nothing of use.
        let record: SourceRecord?
        let verdict: CacheJudge.Verdict
    }

    private static let absences = MemoryCacheLimits(bytes: .mebibytes(1), count: 1_000)

    private let judge: CacheJudge
    private let lasting: SourceStore?
    private let contents: StoredContents
    private let absences: MemoryCache<SourceKey, SourceVersion>
    private let changes: SourceChanges

    /// Creates what keeps nothing yet; of `store` it uses what `contents` says.
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
        // What a key and the head of an answer take, about.
        absences = MemoryCache(limits: Self.absences) { _ in .kibibytes(1) }
    }

    /// The lasting store, if it keeps what `key` names.
    func store(for key: SourceKey) -> SourceStore? {
        contents.contains(key.content == .document ? .documents : .sources) ? lasting : nil
    }

    /// What is kept of the source, and whether it answers.
    ///
    /// - Throws: `CancellationError` when nobody wants it any more.
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

    /// Whether the bytes are kept and may be taken without asking the origin.
    ///
    /// - Throws: `CancellationError` when nobody wants to know any more.
    func hasFreshBytes(_ key: SourceKey) async throws -> Bool {
        let found = try await find(key)
        guard case .bytes = found.record, case .serve(_, asksMeanwhile: false) = found.verdict else {
            return false
        }
        return true
    }

    /// Keeps the bytes, as far as that is allowed and asked for.
    ///
    /// - Returns: Whether they are on their way to the store.
    func keep(_ input: CodecInput, _ version: SourceVersion?, for key: SourceKey) -> Bool {
        absences.removeValue(for: key.stored)
        // What was spooled to a file is too large for a store of values in memory.
        guard let version, case .bytes(let bytes) = input, version.isKeepable else { return false }
        return write(.bytes(bytes, version), for: key)
    }

    private func write(_ record: SourceRecord, for key: SourceKey) -> Bool {
        guard let store = store(for: key), key.cachePolicy.writes else { return false }
        var isWritten = false
        changes.keeping(record.version, of: key.identity) {
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

    /// Keeps the new time of bytes that are still right.
    func renew(_ record: SourceRecord, for key: SourceKey) {
        guard key.cachePolicy.writes, let store = store(for: key) else { return }
        changes.keeping(record.version, of: key.identity) {
            store.refresh(record, for: key)
        } undo: {
            store.forget(key)
        }
    }

    /// Forgets the bytes that were kept.
    func forget(_ key: SourceKey) {
        store(for: key)?.forget(key)
    }

    /// Keeps that the source does not exist; the absence of a document may be an error like others.
    func note(absence version: SourceVersion, for key: SourceKey) {
        guard key.content != .document, key.cachePolicy.writes, version.isKeepable else { return }
        absences.replaceValue(version, for: key.stored)
        _ = write(.absent(version), for: key)
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
        // That a picture never changes does not mean that it will never come.
        let policy = key.cachePolicy == .immutable ? .use : key.cachePolicy
        let verdict = judge.verdict(version, key.headers, policy)
        guard case .serve(_, asksMeanwhile: false) = verdict else { return nil }
        return Found(record: record, verdict: verdict)
    }
}

extension SourceKey {
    /// The key by which it is kept, whatever the request's policy.
    fileprivate var stored: SourceKey { cachePolicy == .use ? self : SourceKey(self, .use) }
}
