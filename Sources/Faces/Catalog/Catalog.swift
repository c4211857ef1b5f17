public import Calotype
import CalotypeCore
import CalotypeHTTP

/// Finds pictures in App Stores, albums, Robohash and JSON documents.
///
/// ```swift
/// let catalog = Catalog(pipeline)
/// for app in try await catalog.apps.search("camera") {
///     print(app.position, app.name, app.rating?.text ?? "-", app.price ?? "-")
/// }
/// ```
///
/// A catalogue sends requests through a pipeline and owns nothing else: work in progress is cancelled and
/// awaited when the pipeline ends. Responses are cached while they are fresh, in memory and, if the pipeline
/// stores `StoredContents.documents`, on disk. Errors are ``CatalogError``.
public final class Catalog: Sendable {
    private let configuration: CatalogConfiguration
    private let appResponses: CatalogResponses<AppStoreEntity>
    private let albumResponses: CatalogResponses<AlbumPhoto>
    private let pictureResponses: CatalogResponses<CatalogPicture>

    /// Creates a catalogue.
    ///
    /// The rate limit applies to one catalogue, so use one catalogue for each set of services.
    public init(_ pipeline: ImagePipeline, _ configuration: CatalogConfiguration = CatalogConfiguration()) {
        self.configuration = configuration
        let store = CatalogService(
            CallGate(configuration.appCalls, pause: configuration.pause, clock: configuration.clock),
            refusesByForbidding: true
        )
        let albums = CatalogService(
            CallGate(nil, pause: configuration.pause, clock: configuration.clock)
        )
        appResponses = CatalogResponses(pipeline, store, configuration)
        albumResponses = CatalogResponses(pipeline, albums, configuration)
        pictureResponses = CatalogResponses(pipeline, CatalogService(nil), configuration)
    }

    /// The App Store.
    public var apps: AppStoreSearch { AppStoreSearch(appResponses, base: configuration.services.apps) }

    /// Returns the photos of an album; empty if there is no such album.
    ///
    /// - Throws: ``CatalogError``; `CancellationError` if the task is cancelled.
    public func album(_ id: Int) async throws -> CatalogListing<AlbumPhoto> {
        try await albumResponses.listing(at: "\(configuration.services.albums)/albums/\(id)/photos") {
            bytes in
            AlbumListing(try JSONDocument(bytes).decoded(as: [LenientElement<AlbumWire>].self)).listing
        }
    }

    /// Returns the image that Robohash draws for a text; does not load it.
    ///
    /// The same text and style always give the same image.
    ///
    /// - Parameters:
    ///   - text: Any text of 1 to 2,000 bytes.
    ///   - style: The style of the image.
    /// - Returns: The image's URL, with the text as its title.
    /// - Throws: `invalid_query`.
    public func robot(
        _ text: String,
        _ style: RobotStyle = RobotStyle()
    ) throws(CatalogError) -> CatalogPicture {
        let url = try style.url(of: text, below: configuration.services.robots)
        return CatalogPicture(url: url, title: PlainText.line(text) ?? "")
    }

    /// Returns the pictures in a JSON document.
    ///
    /// - Parameters:
    ///   - url: The document's URL; URLs in the document can be relative to it.
    ///   - path: The path of the pictures' URLs in the document.
    /// - Returns: The pictures, without titles, in the order of the document.
    /// - Throws: ``CatalogError``, such as `invalid_document` if the path matches nothing;
    ///   `CancellationError`.
    public func pictures(at url: String, path: JSONPath) async throws -> CatalogListing<CatalogPicture> {
        let base: WebURL
        do { base = try WebURL(url) } catch { throw CatalogError(error) }
        return try await pictureResponses.listing(at: url, part: path.description) { bytes in
            try PictureListing(try JSONDocument(bytes), path, base: base).listing
        }
    }
}
