import CalotypeCore
import CalotypeStore

/// Finished pictures: in memory, and the encoded ones in the lasting store.
final class KeptPictures: Sendable {
    let memory: MemoryCache<RenditionKey, Picture>
    private let watchedMemory: PictureMemory
    private let store: PictureStore?
    private let changes: SourceChanges
    /// How many pictures were kept, each of the numbers for some of the sources.
    private let marks = Guarded([Int](repeating: 0, count: 64))

    init(memory: PictureMemory, store: PictureStore?, changes: SourceChanges) {
        self.changes = changes
        watchedMemory = memory
        self.memory = memory.cache
        self.store = store
    }

    var memorySnapshot: MemoryCacheSnapshot { memory.snapshot }

    /// A number that changes when a picture of the key's source is kept, and sometimes when another is.
    ///
    /// As long as it is what it was before a look-up that found nothing, another one would find nothing either.
    private func mark(of key: RenditionKey) -> Int {
        marks.withLock { $0[Self.place(of: key, in: $0)] }
    }

    private static func place(of key: RenditionKey, in marks: [Int]) -> Int {
        // The URL is not read for it: that costs more than a hit may.
        Int(UInt(bitPattern: key.source.hashValue) % UInt(marks.count))
    }

    /// What memory has for a request that takes what is stored.
    func inMemory(_ query: inout PictureQuery) -> Picture? {
        let key = query.key
        guard key.isStorable && key.cachePolicy.reads else { return nil }
        let mark = mark(of: key)
        let picture = memory.value(for: key.stored)
        query.absence = picture == nil ? PictureQuery.Absence(mark: mark) : nil
        return picture
    }

    /// Looks the picture up in memory and then in the store, except where the query has just missed.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func find(_ query: inout PictureQuery) async throws -> Picture? {
        let key = query.key
        guard key.isStorable, key.cachePolicy.reads else { return nil }
        let mark = mark(of: key)
        if let absence = query.absence, absence.mark == mark {
            if absence.includesStore { return nil }
        } else if let picture = memory.valueAgain(for: key.stored) {
            return picture
        }
        guard let picture = try await store?.picture(for: key) else {
            query.absence = PictureQuery.Absence(mark: mark, includesStore: true)
            return nil
        }
        return remembered(picture, key)
    }

    /// Copies a stored picture to memory if the request allows it; returns `nil` if its source has changed since.
    private func remembered(_ picture: Picture, _ key: RenditionKey) -> Picture? {
        guard !changes.forbids(picture.provenance.version, of: key.sourceIdentity) else {
            store?.remove(key)
            return nil
        }
        guard key.cachePolicy.writes else { return picture }
        var remembered = picture
        remembered.provenance.origin = .memory
        keeping(picture, key) {
            remembered = memory.store(remembered, for: key.stored)
        } undo: {
            memory.removeValue(for: key.stored)
        }
        remembered.provenance.origin = .store
        return remembered
    }

    /// Caches a new picture if the request allows it.
    ///
    /// - Returns: The picture that is cached now, with the costs of the new one: another caller's that was first, or one of
    ///   a newer version of the source.
    func keep(_ picture: Picture, _ key: RenditionKey, inPlaceOfOld: Bool) -> Picture {
        guard key.isStorable && key.cachePolicy.writes else { return picture }
        let isAnew = inPlaceOfOld || key.cachePolicy == .reload
        let cached = picture.cached
        var kept = cached
        // In memory first: a caller that asks again while the store is slow finds it there.
        let isCurrent = keeping(picture, key) {
            if isAnew {
                memory.replaceValue(cached, for: key.stored)
            } else {
                kept = memory.store(cached, for: key.stored)
            }
            store?.write(picture, for: key, isAnew: isAnew)
        } undo: {
            remove(key)
        }
        if !isCurrent, !key.cachePolicy.reads { return picture }
        return (isCurrent ? kept : memory.valueAgain(for: key.stored))?.obtained(as: picture) ?? picture
    }

    /// Caches the new freshness of a picture that is still current.
    func renew(_ picture: Picture, _ key: RenditionKey) {
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
        _ picture: Picture,
        _ key: RenditionKey,
        _ keep: () -> Void,
        undo: () -> Void
    ) -> Bool {
        defer {
            marks.withLock { $0[Self.place(of: key, in: $0)] += 1 }
            watchedMemory.hasGrown()
        }
        return changes.keeping(picture.provenance.version, of: key.sourceIdentity, keep, undo: undo)
    }

    func remove(_ key: RenditionKey) {
        memory.removeValue(for: key.stored)
        store?.remove(key)
    }

    func forgetAll() {
        memory.removeAll()
    }
}

/// The pictures that a pipeline keeps in memory, half of which go when the system is short of it.
final class PictureMemory: Sendable {
    /// What is worth watching the system for, which takes a thread, and at its end about 10 ms of the kernel's.
    private static let watchedBytes = ByteCount.mebibytes(8)

    let cache: MemoryCache<RenditionKey, Picture>
    private let watcher: PressureWatcher?

    /// Creates an empty one; whoever creates it calls ``end()``.
    ///
    /// - Parameters:
    ///   - configuration: Limits, and whether memory is given back.
    ///   - watcher: Makes what calls its argument when memory is short; what watches the system unless given.
    init(
        _ configuration: PipelineConfiguration,
        watcher: (@escaping @Sendable () -> Void) -> PressureWatcher = { PressureWatcher($0) }
    ) {
        let cache = MemoryCache<RenditionKey, Picture>(
            limits: configuration.memoryCache,
            clock: configuration.clock,
            cost: { ByteCount($0.byteCount) },
            family: { RenditionKey.family(of: $0.sourceIdentity) }
        )
        self.cache = cache
        // On an executor of somebody else's there are no threads of ours.
        let isWatched = configuration.trimsOnMemoryPressure && configuration.executor == nil
        self.watcher = isWatched ? watcher { cache.trim(toFraction: 0.5) } : nil
    }

    /// Whether the system is being watched.
    var isWatched: Bool { watcher?.pressure.isWatched ?? false }

    /// Takes note that something was stored.
    func hasGrown() {
        guard let watcher, cache.snapshot.bytes >= Self.watchedBytes else { return }
        watcher.begin()
    }

    /// Forgets the pictures, also those that loads have left after the pipeline had forgotten all; ends the watch, and returns when
    /// its thread has ended.
    func end() async {
        cache.removeAll()
        await watcher?.end()
    }
}

/// Runs `body` with memory for pictures, and returns when it no longer watches the system.
func withPictureMemory<Output>(
    _ configuration: PipelineConfiguration,
    _ body: (PictureMemory) async throws -> Output
) async throws -> Output {
    let memory = PictureMemory(configuration)
    do {
        let output = try await body(memory)
        await memory.end()
        return output
    } catch {
        await memory.end()
        throw error
    }
}
