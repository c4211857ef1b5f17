import CalotypeCore
import CalotypeStore

/// Finished pictures: in memory, and the encoded ones in the lasting store.
final class KeptPictures: Sendable {
    let memory: MemoryCache<RenditionKey, KeptPicture>
    private let watchedMemory: PictureMemory
    private let store: PictureStore?
    private let changes: SourceChanges

    init(memory: PictureMemory, store: PictureStore?, changes: SourceChanges) {
        self.changes = changes
        watchedMemory = memory
        self.memory = memory.cache
        self.store = store
    }

    var memorySnapshot: MemoryCacheSnapshot { memory.snapshot }

    /// What memory has for a request that takes what is stored.
    func inMemory(_ key: RenditionKey, countsMiss: Bool = true) -> KeptPicture? {
        guard key.isStorable && key.cachePolicy.reads else { return nil }
        return countsMiss ? memory.value(for: key.stored) : memory.valueBeforehand(for: key.stored)
    }

    /// What memory or the store has, and which of them.
    ///
    /// - Throws: `CancellationError` when nobody wants it any more.
    func find(_ key: RenditionKey) async throws -> (KeptPicture, PipelineEvent.Origin)? {
        guard key.isStorable, key.cachePolicy.reads else { return nil }
        // It may have come between the look-up, which was counted, and the start.
        if let picture = memory.valueAgain(for: key.stored) { return (picture, .memory) }
        guard let picture = try await store?.picture(for: key) else { return nil }
        return remembered(picture, key).map { ($0, .store) }
    }

    /// What the store has, for a caller who waits without a task; false where the store cannot do that.
    func lookUp(
        _ key: RenditionKey,
        ifWanted isWanted: @escaping @Sendable () -> Bool,
        _ answer: @escaping @Sendable (KeptPicture?) -> Void
    ) -> Bool {
        guard let store, key.isStorable, key.cachePolicy.reads else { return false }
        return store.lookUp(key, ifWanted: isWanted) { found in
            answer(found.flatMap { self.remembered($0, key) })
        }
    }

    /// A picture that the store has, from now on in memory too if the request allows it; `nil` if its source has changed since.
    private func remembered(_ picture: KeptPicture, _ key: RenditionKey) -> KeptPicture? {
        guard !changes.forbids(picture.version, of: key.sourceIdentity) else {
            store?.remove(key)
            return nil
        }
        guard key.cachePolicy.writes else { return picture }
        var remembered = picture
        keeping(picture, key) {
            remembered = memory.store(picture, for: key.stored)
        } undo: {
            memory.removeValue(for: key.stored)
        }
        return remembered
    }

    /// Keeps a new picture where the request allows it, and gives what is there now: one that came first, or one of a newer
    /// version of the source.
    func keep(_ picture: KeptPicture, _ key: RenditionKey, inPlaceOfOld: Bool) -> KeptPicture {
        guard key.isStorable && key.cachePolicy.writes else { return picture }
        let isAnew = inPlaceOfOld || key.cachePolicy == .reload
        var kept = picture
        // In memory first: a caller who asks again while the store is slow finds it there.
        let isCurrent = keeping(picture, key) {
            if isAnew {
                memory.replaceValue(picture, for: key.stored)
            } else {
                kept = memory.store(picture, for: key.stored)
            }
            store?.write(picture, for: key, isAnew: isAnew)
        } undo: {
            remove(key)
        }
        return isCurrent ? kept : inMemory(key, countsMiss: false) ?? picture
    }

    /// Keeps the new time of a picture that is still right.
    func renew(_ picture: KeptPicture, _ key: RenditionKey) {
        guard key.isStorable && key.cachePolicy.writes else { return }
        keeping(picture, key) {
            memory.replaceValue(picture, for: key.stored)
            store?.refresh(picture, for: key)
        } undo: {
            remove(key)
        }
    }

    @discardableResult
    private func keeping(
        _ picture: KeptPicture,
        _ key: RenditionKey,
        _ keep: () -> Void,
        undo: () -> Void
    ) -> Bool {
        defer { watchedMemory.hasGrown() }
        return changes.keeping(picture.version, of: key.sourceIdentity, keep, undo: undo)
    }

    func remove(_ key: RenditionKey) {
        memory.removeValue(for: key.stored)
        store?.remove(key)
    }

    func forgetAll() {
        memory.removeAll()
    }
}
