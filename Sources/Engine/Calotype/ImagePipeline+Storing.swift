public import CalotypeCore
import TaskFlow

extension ImagePipeline {
    /// Brings the source of `request` into the lasting store, unless it is there and fresh; nothing of it is decoded.
    ///
    /// Scaling and format of the request are of no meaning. Pictures of the source need no download from then on. The
    /// write may be under way when this returns; the end of the pipeline's scope waits for it.
    ///
    /// - Throws: `CalotypeError`: `invalid_request` for what is no URL, and where the pipeline keeps no sources
    ///   (``PipelineConfiguration/stores``); `storage_failed` for a source that may not be stored, or is too large;
    ///   `CancellationError` when the task is cancelled.
    public func storeSource(of request: ImageRequest) async throws {
        try await storeSource(of: request, priority: LivePriority(request))
    }

    func storeSource(of request: ImageRequest, priority: LivePriority) async throws {
        try await withoutCosts {
            try await perform(request) { prepared in
                priority.follow(prepared, from: request)
                return ((), try await sources.store(try SourceKey(prepared), priority: priority))
            }
        }
    }
}
