import CalotypeCore
import CalotypeHTTP
import CalotypeStore

/// What was made of sources and is no picture, in the lasting store.
struct DerivedStore: Sendable {
    let store: WriteBehind
    let changes: SourceChanges
    /// The fields sent with each request of the pipeline: others may use the store too.
    let headers: [HTTPHeaders.Field]

    /// What is kept under `name` of the source of `request`; what its limits forbid, and what is no record, is nothing.
    ///
    /// - Throws: `CancellationError` when nobody wants it any more.
    func record(_ name: String, _ request: ImageRequest) async throws -> DerivedRecord? {
        guard request.cachePolicy.reads, let key = key(name, request),
            let entry = try await store.entry(for: key)
        else { return nil }
        do throws(RecordReader.Damage) {
            let record = try DerivedRecord(entry)
            guard !changes.forbids(record.version, of: request.sourceIdentity) else { return nil }
            return request.limits.allow(record.info.facts, record.info.bytes) ? record : nil
        } catch {
            store.remove(key)
            return nil
        }
    }

    /// Has the record written in the place of another, where its origin and the request allow it.
    func write(_ record: DerivedRecord, _ name: String, _ request: ImageRequest) {
        guard request.cachePolicy.writes, record.version?.isKeepable ?? true, let key = key(name, request)
        else { return }
        changes.keeping(record.version, of: request.sourceIdentity) {
            store.write(record.entry, for: key, isAnew: true)
        } undo: {
            store.remove(key)
        }
    }

    /// Has the version written anew.
    func refresh(_ record: DerivedRecord, _ name: String, _ request: ImageRequest) {
        guard request.cachePolicy.writes, let key = key(name, request) else { return }
        changes.keeping(record.version, of: request.sourceIdentity) {
            store.replaceMetadata(record.entry.metadata, for: key)
        } undo: {
            store.remove(key)
        }
    }

    /// Has the record removed.
    func remove(_ name: String, _ request: ImageRequest) {
        if let key = key(name, request) { store.remove(key) }
    }

    private func key(_ name: String, _ request: ImageRequest) -> StoreKey? {
        StoreKey(derived: name, of: request, sentWith: headers)
    }
}
