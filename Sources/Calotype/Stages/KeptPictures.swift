import CalotypeCore
import CalotypeStore

/// Finished pictures: in memory, and the encoded ones in the lasting store.
final class KeptPictures: Sendable {
    let memory: MemoryCache<RenditionKey, KeptPicture>
    private let watchedMemory: PictureMemory
    private let store: PictureStore?

    init(memory: PictureMemory, store: PictureStore?) {
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
        return (remembered(picture, key), .store)
    }

    /// What the store has, for a caller who waits without a task; false where the store cannot do that.
    func lookUp(
        _ key: RenditionKey,
        ifWanted isWanted: @escaping @Sendable () -> Bool,
        _ answer: @escaping @Sendable (KeptPicture?) -> Void
    ) -> Bool {
        guard let store, key.isStorable, key.cachePolicy.reads else { return false }
        return store.lookUp(key, ifWanted: isWanted) { found in
            answer(found.map { self.remembered($0, key) })
        }
    }

    /// A picture of the store's, from now on in memory too where the request allows it.
    private func remembered(_ picture: KeptPicture, _ key: RenditionKey) -> KeptPicture {
        guard key.cachePolicy.writes else { return picture }
        defer { watchedMemory.hasGrown() }
        return memory.store(picture, for: key.stored)
    }

    /// Keeps a new picture where the request allows it, and gives what is there now.
    func keep(_ picture: KeptPicture, _ key: RenditionKey, inPlaceOfOld: Bool) -> Picture {
        guard key.isStorable && key.cachePolicy.writes else { return picture.picture }
        let isAnew = inPlaceOfOld || key.cachePolicy == .reload
        // In memory first: whoever asks again while the store is slow makes nothing anew.
        defer {
            watchedMemory.hasGrown()
            store?.write(picture, for: key, isAnew: isAnew)
        }
        guard isAnew else { return memory.store(picture, for: key.stored).picture }
        memory.replaceValue(picture, for: key.stored)
        return picture.picture
    }

    /// Keeps the new time of a picture that is still right.
    func renew(_ picture: KeptPicture, _ key: RenditionKey) {
        guard key.isStorable && key.cachePolicy.writes else { return }
        memory.replaceValue(picture, for: key.stored)
        store?.refresh(picture, for: key)
    }

    func remove(_ key: RenditionKey) {
        memory.removeValue(for: key.stored)
        store?.remove(key)
    }

    func forgetAll() {
        memory.removeAll()
    }
}
