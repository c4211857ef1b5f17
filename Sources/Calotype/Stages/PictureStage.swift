import CalotypeCore
import CalotypeStore
import TaskFlow

/// Where pictures are waited for: in the memory cache, in flight, in the store; only then are they made.
final class PictureStage: Sendable {
    private let decodes: DecodeStage
    private let flights: Coalescer<RenditionKey, Picture>
    let memory: MemoryCache<RenditionKey, Picture>
    private let pictureMemory: PictureMemory
    private let writeBehind: WriteBehind?

    init(_ decodes: DecodeStage, memory: PictureMemory, store: WriteBehind?, scope: TaskScope) {
        self.decodes = decodes
        pictureMemory = memory
        self.memory = memory.cache
        writeBehind = store
        flights = Coalescer(scope: scope, name: "picture")
    }

    /// The pictures under way, cancelled ones included.
    var flightCount: Int { flights.flightCount }

    /// The picture, or a larger one where that will do, if the cache has it and the request takes it from there.
    func cached(_ key: RenditionKey, orLarger allowsLarger: Bool = false) -> Picture? {
        guard key.isStorable && key.cachePolicy.reads else { return nil }
        return memory.value(for: key.stored) ?? (allowsLarger ? larger(key) : nil)
    }

    /// Whether the picture has still to be made, as far as can be told.
    func isMissing(_ key: RenditionKey) -> Bool {
        cached(key) == nil && !flights.hasFlight(for: key)
    }

    /// What the memory cache holds.
    var memorySnapshot: MemoryCacheSnapshot { memory.snapshot }

    /// Empties the memory cache.
    func forgetAll() {
        memory.removeAll()
    }

    /// The error of a request that may only take what is stored.
    static var notCached: CalotypeError {
        CalotypeError(.notCached, "it is not stored, and nobody may be asked for it", stage: .store)
    }

    /// Gives the picture, shared with all who want the same, and tells where it came from.
    ///
    /// - Throws: `LoadFailure`; `CancellationError`; `TaskScopeEnded`.
    func picture(
        _ key: RenditionKey,
        _ request: ImageRequest,
        priority: LivePriority
    ) async throws -> (Picture, PipelineEvent.Origin) {
        let origin = Guarded(PipelineEvent.Origin.shared)
        let picture = try await flights.value(for: key, priority: priority) { flight in
            let (picture, source) = try await self.find(key, request, flight.priority)
            origin.withLock { $0 = source }
            return picture
        }
        return (picture, origin.withLock { $0 })
    }

    private func find(
        _ key: RenditionKey,
        _ request: ImageRequest,
        _ priority: LivePriority
    ) async throws -> (Picture, PipelineEvent.Origin) {
        // It may have come between the look-up, which was counted, and the start.
        if key.isStorable, key.cachePolicy.reads, let picture = memory.valueAgain(for: key.stored) {
            return (picture, .memory)
        }
        if let picture = try await writeBehind?.picture(for: key) {
            return (keep(picture, key), .store)
        }
        guard key.cachePolicy != .cacheOnly else {
            throw LoadFailure(Self.notCached)
        }
        let picture = try await decodes.picture(key.spec, of: SourceKey(request), priority: priority)
        // In memory first: whoever asks again while the store is slow makes nothing anew.
        let kept = keep(picture, key)
        if key.isStorable && key.cachePolicy.writes {
            await writeBehind?.write(picture, for: key)
        }
        return (kept, .own)
    }

    /// Puts the picture into the cache where the request allows it, and gives what is there now.
    private func keep(_ picture: Picture, _ key: RenditionKey) -> Picture {
        guard key.isStorable && key.cachePolicy.writes else { return picture }
        defer { pictureMemory.hasGrown() }
        guard key.cachePolicy != .reload else {
            memory.replaceValue(picture, for: key.stored)
            return picture
        }
        return memory.store(picture, for: key.stored)
    }
}
