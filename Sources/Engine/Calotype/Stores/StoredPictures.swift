import CalotypeCore
import CalotypeStore

/// The cached pictures: all in memory, and the encoded ones in the persistent store too.
final class StoredPictures: Sendable {
    let memory: MemoryCache<RenditionKey, Picture>
    private let watchedMemory: PictureMemory
    private let store: PictureStore?
    private let changes: SourceChanges
    /// The number of pictures cached so far, each counter for a part of the sources.
    private let marks = Guarded([Int](repeating: 0, count: 64))

    init(memory: PictureMemory, store: PictureStore?, changes: SourceChanges) {
        self.changes = changes
        watchedMemory = memory
        self.memory = memory.cache
        self.store = store
    }

    var memorySnapshot: MemoryCacheSnapshot { memory.snapshot }

    /// A number that changes when a picture of the key's source is cached, and sometimes when another is.
    ///
    /// While it stays the same after a miss, another look-up would miss too.
    private func mark(of key: RenditionKey) -> Int {
        marks.withLock { $0[Self.place(of: key, in: $0)] }
    }

    private static func place(of key: RenditionKey, in marks: [Int]) -> Int {
        // Without parsing the URL, which would cost more than a hit.
        Int(UInt(bitPattern: key.source.hashValue) % UInt(marks.count))
    }

    /// Looks the picture up in memory if the request uses cached data.
    func inMemory(_ query: inout PictureQuery) -> Picture? {
        let key = query.key
        guard key.isStorable && key.cachePolicy.reads else { return nil }
        let mark = mark(of: key)
        let found = memory.placedValue(for: key.stored)
        query.absence = found == nil ? PictureQuery.Absence(mark: mark) : nil
        query.kept = found.map { KeptPicture(place: $0.place) }
        return found?.value
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
        return remembered(picture, query)
    }

    /// Copies a stored picture to memory if the request allows it.
    ///
    /// - Returns: The picture; `nil` if its source has changed since.
    private func remembered(_ picture: Picture, _ query: PictureQuery) -> Picture? {
        let key = query.key
        guard !changes.forbids(picture.provenance.version, of: key.sourceIdentity) else {
            store?.remove(key)
            return nil
        }
        guard key.cachePolicy.writes else { return picture }
        var remembered = picture
        remembered.provenance.origin = .memory
        keeping(picture, query) {
            remembered = memory.store(remembered, for: key.stored)
        } undo: {
            memory.removeValue(for: key.stored)
        }
        remembered.provenance.origin = .store
        return remembered
    }

    /// Caches a new picture if the request allows it.
    ///
    /// - Returns: The picture that is cached now, with the costs of the new one: another caller's that was
    ///   first, or one of a newer version of the source.
    func keep(_ picture: Picture, _ query: PictureQuery, inPlaceOfOld: Bool) -> Picture {
        let key = query.key
        guard key.isStorable && key.cachePolicy.writes else { return picture }
        let isAnew = inPlaceOfOld || key.cachePolicy == .reload
        let cached = picture.cached
        var kept = cached
        // In memory first: a caller that asks again while the store is slow finds it there.
        let isCurrent = keeping(picture, query) {
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
    func renew(_ picture: Picture, _ query: PictureQuery) {
        let key = query.key
        guard key.isStorable && key.cachePolicy.writes else { return }
        keeping(picture, query) {
            memory.replaceValue(picture, for: key.stored)
            store?.refresh(picture, for: key)
        } undo: {
            remove(key)
        }
    }

    @discardableResult
    private func keeping(
        _ picture: Picture,
        _ query: PictureQuery,
        _ keep: () -> Void,
        undo: () -> Void
    ) -> Bool {
        defer {
            marks.withLock { $0[Self.place(of: query.key, in: $0)] += 1 }
            watchedMemory.hasGrown()
        }
        return changes.keeping(
            picture.provenance.version,
            of: query.key.sourceIdentity,
            since: query.moment,
            keep,
            undo: undo
        )
    }

    func remove(_ key: RenditionKey) {
        memory.removeValue(for: key.stored)
        store?.remove(key)
    }

    /// Removes the picture, and waits until the store has done so.
    ///
    /// - Throws: `CalotypeError`; `CancellationError`.
    func finishRemoving(_ key: RenditionKey) async throws {
        memory.removeValue(for: key.stored)
        try await store?.finishRemoving(key)
    }

    /// Removes the pictures of a group, or all if it is `nil`, from memory.
    func removeFromMemory(_ group: StoreGroup?) {
        guard let group else { return memory.removeAll() }
        let family = group.source.map { _ in group.hashValue }
        memory.removeMembers(of: family) { key in
            key.partition == group.partition
                && (group.source == nil || key.sourceIdentity.map { group.contains($0.group) } ?? false)
        }
    }

    func forgetAll() {
        memory.removeAll()
    }
}

/// The pictures in a pipeline's memory; half of them are removed when the system runs short of memory.
final class PictureMemory: Sendable {
    /// The size from which memory pressure is watched, which takes a thread, and about 10 ms at its end.
    private static let watchedBytes = ByteCount.mebibytes(8)

    let cache: MemoryCache<RenditionKey, Picture>
    private let watcher: PressureWatcher?

    /// Creates an empty memory; call ``end()`` at the end.
    ///
    /// - Parameters:
    ///   - configuration: The limits, and whether to react to memory pressure.
    ///   - watcher: Makes a watcher that calls its argument when memory is short; by default one for the
    ///     system.
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
        // With a caller's executor, the pipeline has no threads.
        let isWatched = configuration.trimsOnMemoryPressure && configuration.executor == nil
        self.watcher = isWatched ? watcher { cache.trim(toFraction: 0.5) } : nil
    }

    /// Whether memory pressure is being watched.
    var isWatched: Bool { watcher?.pressure.isWatched ?? false }

    /// Starts watching memory pressure if enough is cached.
    func hasGrown() {
        guard let watcher, cache.snapshot.bytes >= Self.watchedBytes else { return }
        watcher.begin()
    }

    /// Removes all pictures and ends the watcher; returns when its thread has ended.
    ///
    /// This includes pictures that loads have added since the pipeline was closed.
    func end() async {
        cache.removeAll()
        await watcher?.end()
    }
}

/// Runs `body` with memory for pictures, and returns when memory pressure is no longer watched.
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
