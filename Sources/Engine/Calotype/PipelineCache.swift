import CalotypeCodec
public import CalotypeCore
import CalotypeStore

/// What a pipeline has cached: look-ups without network, and removals.
///
/// A removal reaches memory, the persistent store, writes that are waiting, and loads in progress: their results
/// are delivered and not cached. Loads that begin after it make everything again. Other processes that read the
/// same store still have in memory what they had there. A removal takes as long as the store needs; cancelling it
/// ends the wait.
public struct PipelineCache: Sendable {
    let pipeline: ImagePipeline

    /// Whether ``rendition(for:)`` would return one, which takes as long to find out.
    ///
    /// - Throws: `CalotypeError` if the pipeline's hook refuses the request; `CancellationError`.
    public func contains(_ request: ImageRequest) async throws -> Bool {
        try await rendition(for: request) != nil
    }

    /// Returns the finished rendition for `request`, without network and without decoding anything.
    ///
    /// A stale one counts unless its origin forbids that; see ``Rendition/cache``. The observer is not notified.
    ///
    /// - Returns: The rendition; `nil` if neither memory nor the store has it.
    /// - Throws: `CalotypeError` if the pipeline's hook refuses the request; `CancellationError`.
    public func rendition(for request: ImageRequest) async throws -> Rendition? {
        var request = try await pipeline.prepare(request)
        if request.cachePolicy != .immutable { request.cachePolicy = .cacheOnly }
        return try await pipeline.pictures.held(PictureQuery(request))?.rendition
    }

    /// Removes the rendition and the pixels for `request`; its source and other sizes stay.
    ///
    /// - Throws: `CalotypeError` if the pipeline's hook refuses the request, or if the store does not remove it
    ///   (`storage_failed`); `CancellationError`, after which some of it may still be there.
    public func remove(_ request: ImageRequest) async throws {
        let request = try await pipeline.prepare(request)
        guard let source = request.sourceIdentity?.group else { return }
        try await pipeline.removals.removing(source) {
            for query in [PictureQuery(request), PictureQuery(request, .pixels(request.transform))] {
                try await pipeline.pictures.finishRemoving(query.key)
            }
        }
    }

    /// Removes the source of `request` and everything made from it: renditions of all sizes and formats, whatever
    /// headers were sent, and the record that it does not exist.
    ///
    /// The source is known by its ``ImageRequest/cacheKey`` if it has one, otherwise by its URL, and by its
    /// partition.
    ///
    /// - Throws: `CalotypeError` if the pipeline's hook refuses the request, or if the store does not remove it
    ///   (`storage_failed`); `CancellationError`, after which some of it may still be there.
    public func removeSource(of request: ImageRequest) async throws {
        guard let source = try await pipeline.prepare(request).sourceIdentity?.group else { return }
        try await pipeline.remove(source)
    }

    /// Removes all sources of a partition and everything made from them; `nil` is the partition of requests that
    /// name none.
    ///
    /// - Throws: `CalotypeError` if the store does not remove them (`storage_failed`); `CancellationError`, after
    ///   which some of them may still be there.
    public func removeAll(in partition: String?) async throws {
        try await pipeline.remove(StoreGroup(partition: partition))
    }

    /// Removes everything, also what other pipelines have in the same store.
    ///
    /// - Throws: `CalotypeError` if the store does not remove it (`storage_failed`); `CancellationError`, after
    ///   which some of it may still be there.
    public func removeAll() async throws {
        try await pipeline.remove(nil)
    }
}

extension ImagePipeline {
    /// What the pipeline has cached, in memory and in its persistent store.
    public var cache: PipelineCache { PipelineCache(pipeline: self) }

    fileprivate func remove(_ group: StoreGroup?) async throws {
        try await removals.removing(group) {
            pictures.removeFromMemory(group)
            await sources.removeAll(in: group)
            try await store?.removeEntries(in: group)
        }
    }
}
