public import CalotypeCore
public import TaskFlow

extension ImagePipeline {
    /// Makes the renditions that `requests` ask for, `limit` at a time, and gives each outcome as it comes.
    ///
    /// Work starts at the first `next()`. Leaving the loop cancels what is under way at once; the pipeline's scope
    /// awaits it. A slow reader holds further loads back.
    ///
    /// - Parameters:
    ///   - requests: what is wanted; read as far as needed.
    ///   - limit: how many loads are under way at a time, at least one; the pipeline's gates bound them too.
    ///   - order: of the outcomes, by completion unless asked otherwise.
    /// - Returns: the outcomes, one for each request.
    public func renditions(
        for requests: some Sequence<ImageRequest> & Sendable,
        limit: Int = 64,
        order: ResultOrder = .completion
    ) -> RenditionOutcomes {
        RenditionOutcomes(
            base: requests.concurrentResults(limit: limit, order: order, in: scope, name: "load") { request in
                try await self.rendition(for: request)
            }
        )
    }
}
