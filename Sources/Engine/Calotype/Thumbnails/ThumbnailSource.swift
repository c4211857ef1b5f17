public import CalotypeCore

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
