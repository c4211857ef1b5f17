public import CalotypeCore
import TaskFlow

extension ImagePipeline {
    /// Starts loading the rendition that `request` asks for, and gives a handle on the load.
    ///
    /// - Parameters:
    ///   - request: what is wanted.
    ///   - previews: whether ``ImageTask/previews`` shows progressive pictures while they come; they cost decodes.
    /// - Returns: the load under way; in a pipeline that has ended, one that has failed with `pipeline_closed`.
    public func task(for request: ImageRequest, previews: Bool = false) -> ImageTask<Rendition> {
        start(request, previews) { request, priority, watch in
            try await self.withoutCosts { try await self.load(request, priority: priority, watch: watch) }
        }
    }

    /// Starts loading the pixels that `request` asks for, and gives a handle on the load.
    ///
    /// - Parameters:
    ///   - request: what is wanted; its output format is of no meaning.
    ///   - previews: whether ``ImageTask/previews`` shows progressive pictures while they come; they cost decodes.
    /// - Returns: the load under way; in a pipeline that has ended, one that has failed with `pipeline_closed`.
    public func bitmapTask(for request: ImageRequest, previews: Bool = false) -> ImageTask<Bitmap> {
        start(request, previews) { request, priority, watch in
            try await self.bitmap(for: request, priority: priority, watch: watch)
        }
    }

    private func start<Picture: Sendable>(
        _ request: ImageRequest,
        _ previews: Bool,
        _ load: @escaping @Sendable (ImageRequest, LivePriority, SourceFeed.Observer) async throws -> Picture
    ) -> ImageTask<Picture> {
        let state = LoadState<Picture>(LivePriority(request))
        let maker = previews ? PreviewMaker(self, request, state.priority) { state.previews.send($0) } : nil
        var watch = SourceFeed.Observer { state.progress.send($0) }
        if let maker { watch.prefix = { maker.take($0, $1) } }
        do {
            let task = try scope.start(name: "load", priority: request.priority.taskPriority) { [watch] in
                let result: Result<Picture, any Error>
                do {
                    result = .success(try await load(request, state.priority, watch))
                } catch {
                    result = .failure(error)
                }
                maker?.end()
                state.finish(result)
            }
            state.attach(task)
        } catch {
            state.finish(.failure(Self.closedError))
        }
        return ImageTask(request, state)
    }
}
