public import CalotypeCore
public import TaskFlow

/// Pictures that each come with a document which says how large their thumbnail is wanted.
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
    /// What the thumbnails are encoded as, JPEG at quality 82 unless changed.
    public var output: OutputFormat = .jpeg
    /// The most bytes of a document, 1 MiB unless changed; more is `too_many_bytes`.
    public var documentBytes = ByteCount.mebibytes(1)
    /// What the pictures may cost.
    public var limits = ImageLimits()

    /// The two URLs of an id.
    let urls: @Sendable (ID) -> (picture: String, document: String)
    /// Reads the wanted size out of a document.
    private let size: @Sendable ([UInt8]) throws -> PixelSize

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - urls: Gives the URLs of the picture and of its document.
    ///   - size: Reads the size of the thumbnail, the box that it fits into, out of the document's bytes. An error that is
    ///     no `CalotypeError` becomes the cause of `invalid_document`; a side below 1 is `invalid_document` too.
    public init(
        urls: @escaping @Sendable (ID) -> (picture: String, document: String),
        size: @escaping @Sendable (_ document: [UInt8]) throws -> PixelSize
    ) {
        self.urls = urls
        self.size = size
    }

    /// Fetches the picture and its document at the same time; what fails first cancels the other.
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
            throw Self.invalid("the document does not tell the size of the thumbnail: \(error)", url, error)
        }
        guard size.width > 0, size.height > 0 else {
            throw Self.invalid("the document tells a size of \(size) for the thumbnail", url)
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

/// One of the two things that a thumbnail is made of.
private enum Part: Sendable {
    case picture([UInt8])
    case size(PixelSize)
}

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
