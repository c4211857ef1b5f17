public import CalotypeCore
public import TaskFlow

/// Pictures that each have a document with the target size of their thumbnail.
///
/// ```swift
/// let source = ThumbnailSource<Int> { id in
///     ("https://photos.example/\(id)", "https://photos.example/\(id)/metadata")
/// } size: { document in
///     let metadata = try JSONDecoder().decode(Metadata.self, from: Data(document))
///     return PixelSize(width: metadata.width, height: metadata.height)
/// }
/// let thumbnail = try await pipeline.thumbnail(for: 7, from: source)
/// ```
public struct ThumbnailSource<ID: Sendable>: Sendable {
    /// The output format of the thumbnails; JPEG at quality 82 by default.
    public var output: OutputFormat = .jpeg
    /// The maximum size of a document, 1 MiB by default; a larger one fails with `too_many_bytes`.
    public var documentBytes = ByteCount.mebibytes(1)
    /// The limits for the pictures.
    public var limits = ImageLimits()

    /// Returns the two URLs of an id.
    let urls: @Sendable (ID) -> (picture: String, document: String)
    /// Reads the target size from a document.
    private let size: @Sendable ([UInt8]) throws -> PixelSize

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - urls: Returns the URLs of the picture and of its document.
    ///   - size: Reads the thumbnail's size, the box that it fits into, from the document's bytes. An error
    ///     other than `CalotypeError` becomes the cause of `invalid_document`. A side below 1 is also
    ///     `invalid_document`.
    public init(
        urls: @escaping @Sendable (ID) -> (picture: String, document: String),
        size: @escaping @Sendable (_ document: [UInt8]) throws -> PixelSize
    ) {
        self.urls = urls
        self.size = size
    }

    /// Fetches the picture and its document concurrently.
    ///
    /// The first failure cancels the other.
    func fetch(
        _ id: ID,
        picture: @escaping @Sendable (String) async throws -> [UInt8],
        document: @escaping @Sendable (String) async throws -> [UInt8]
    ) async throws -> (picture: [UInt8], size: PixelSize) {
        let urls = urls(id)
        return try await withThrowingTaskGroup { group in
            group.addTask { Part.picture(try await picture(urls.picture)) }
            group.addTask { Part.size(try size(in: try await document(urls.document), urls.document)) }
            var (bytes, box): ([UInt8], PixelSize) = ([], PixelSize(width: 0, height: 0))
            for try await part in group {
                switch part {
                case .picture(let loaded): bytes = loaded
                case .size(let wanted): box = wanted
                }
            }
            return (bytes, box)
        }
    }

    private func size(in document: [UInt8], _ url: String) throws -> PixelSize {
        let size: PixelSize
        do {
            size = try self.size(document)
        } catch let error as CalotypeError {
            throw error
        } catch {
            throw Self.invalid("the document does not contain the thumbnail's size: \(error)", url, error)
        }
        guard size.width > 0, size.height > 0 else {
            throw Self.invalid("the document has an invalid thumbnail size, \(size)", url)
        }
        return size
    }

    private static func invalid(
        _ message: String,
        _ url: String,
        _ cause: (any Error)? = nil
    ) -> CalotypeError {
        CalotypeError(
            .invalidDocument,
            message,
            stage: .body,
            url: ImageSource.url(url).displayName,
            cause: cause
        )
    }
}

/// One of the two inputs of a thumbnail.
private enum Part: Sendable {
    case picture([UInt8])
    case size(PixelSize)
}

extension ImagePipeline {
    /// Creates the thumbnail of `id`.
    ///
    /// Fetches the picture and its document concurrently, then scales the picture. If either of the two
    /// fails, the other is cancelled.
    ///
    /// - Parameters:
    ///   - id: Identifies the picture.
    ///   - source: Locates picture and document, and reads the document.
    ///   - priority: The priority of the load.
    /// - Returns: The thumbnail, never larger than the picture.
    /// - Throws: `CalotypeError`, `invalid_document` among others; `CancellationError` if the task is
    ///   cancelled.
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

    /// Creates the thumbnails of `ids`, at most `limit` at a time, and returns each result as it finishes.
    ///
    /// Work starts at the first `next()`. Leaving the loop cancels the remaining work, and the pipeline's
    /// scope awaits it. A slow reader delays further loads. If the reading task is cancelled, it has already
    /// received the finished results.
    ///
    /// - Parameters:
    ///   - ids: Identify the pictures; read incrementally.
    ///   - source: Locates pictures and documents, and reads the documents.
    ///   - limit: The maximum number in progress, at least one. Each holds its whole picture in memory.
    ///   - order: The order of the results, by completion by default.
    ///   - priority: The priority of the loads.
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
