import CalotypeCore
import CalotypeHTTP
import CalotypeStore

/// Renditions in the lasting store, found by the requests that they answer.
struct PictureStore: Sendable {
    let store: WriteBehind
    let judge: CacheJudge
    /// The fields sent with each request of the pipeline: others may use the store too.
    let headers: [HTTPHeaders.Field]

    /// The rendition that the store has for `key`; one that its limits forbid, or that is no record, is none.
    ///
    /// - Throws: `CancellationError` when nobody wants it any more.
    func picture(for key: RenditionKey) async throws -> KeptPicture? {
        guard let name = name(of: key), let entry = try await store.entry(for: name) else { return nil }
        return picture(in: entry, name, key)
    }

    /// The same, for a caller who waits without a task; false where the store cannot do that.
    func lookUp(
        _ key: RenditionKey,
        ifWanted isWanted: @escaping @Sendable () -> Bool,
        _ answer: @escaping @Sendable (KeptPicture?) -> Void
    ) -> Bool {
        guard let name = name(of: key) else { return false }
        return store.lookUp(name, ifWanted: isWanted) { entry in
            answer(entry.flatMap { picture(in: $0, name, key) })
        }
    }

    private func picture(in entry: StoredEntry, _ name: StoreKey, _ key: RenditionKey) -> KeptPicture? {
        do throws(RecordReader.Damage) {
            let (rendition, version) = try RenditionRecord.read(entry)
            guard key.limits.allow(rendition.source, rendition.sourceBytes) else { return nil }
            return judge.kept(.rendition(rendition), version, key.headers)
        } catch {
            store.remove(name)
            return nil
        }
    }

    /// Has the picture written, in the place of another if `isAnew`.
    func write(_ kept: KeptPicture, for key: RenditionKey, isAnew: Bool) {
        guard let name = name(of: key), let entry = RenditionRecord.entry(of: kept) else { return }
        store.write(entry, for: name, isAnew: isAnew)
    }

    /// Has the version written anew.
    func refresh(_ kept: KeptPicture, for key: RenditionKey) {
        guard let name = name(of: key), let entry = RenditionRecord.entry(of: kept) else { return }
        store.replaceMetadata(entry.metadata, for: name)
    }

    /// Has the picture removed.
    func remove(_ key: RenditionKey) {
        if let name = name(of: key) { store.remove(name) }
    }

    private func name(of key: RenditionKey) -> StoreKey? {
        StoreKey(key, sentWith: headers)
    }
}
