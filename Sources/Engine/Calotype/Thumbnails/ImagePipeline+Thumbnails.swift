public import CalotypeCore
public import TaskFlow

extension ImagePipeline {
    /// Makes the thumbnail of `id`: fetches the picture and the document with the wanted size at the same time, then
    /// fits the picture into that size.
    ///
    /// When either of the two fails, the other is cancelled.
    ///
    /// - Parameters:
    ///   - id: Names the picture.
    ///   - source: Says where picture and document are, and how the document is read.
    ///   - priority: How urgent it is.
    /// - Returns: The thumbnail, never larger than the picture.
    /// - Throws: `CalotypeError`, `invalid_document` among others; `CancellationError` when the task is cancelled.
    public func thumbnail<ID>(
        for id: ID,
        from source: ThumbnailSource<ID>,
        priority: WorkPriority = .normal
    ) async throws -> Rendition {
        let (bytes, box) = try await source.fetch(id) { url in
            var request = ImageRequest(url, priority: priority)
            request.limits = source.limits
            return try await self.data(for: request).bytes
        } document: { url in
            var request = ImageRequest(url, priority: priority)
            request.limits.sourceBytes = source.documentBytes
            return try await self.data(for: request, check: .none).bytes
        }
        var request = ImageRequest(
            .bytes(bytes),
            .fit(box.width, box.height),
            source.output,
            priority: priority
        )
        request.limits = source.limits
        do {
            return try await rendition(for: request)
        } catch let error as CalotypeError {
            throw error.at(ImageSource.url(source.urls(id).picture).displayName)
        }
    }

    /// Makes the thumbnails of `ids`, `limit` at a time, and gives each result as it comes.
    ///
    /// Work starts at the first `next()`. Leaving the loop cancels what is under way; the pipeline's scope awaits it. A
    /// slow reader holds further loads back. When the reading task is cancelled, what had finished has been given.
    ///
    /// - Parameters:
    ///   - ids: Name the pictures; read as far as needed.
    ///   - source: Says where pictures and documents are, and how a document is read.
    ///   - limit: How many are made at a time, at least one; each holds its whole picture in memory.
    ///   - order: Of the results, by completion unless asked otherwise.
    ///   - priority: How urgent they are.
    /// - Returns: One result for each id; failures are values.
    public func thumbnails<ID>(
        for ids: some Sequence<ID> & Sendable,
        from source: ThumbnailSource<ID>,
        limit: Int = 8,
        order: ResultOrder = .completion,
        priority: WorkPriority = .normal
    ) -> ConcurrentResults<ID, Rendition, Never> {
        ids.concurrentResults(limit: limit, order: order, in: scope, name: "thumbnail") { id in
            try await self.thumbnail(for: id, from: source, priority: priority)
        }
    }
}
