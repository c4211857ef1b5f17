public import Calotype
import CalotypeCore
import CalotypeHTTP

/// Where pictures come from: App Stores, albums, robots, and whatever JSON names some.
///
/// ```swift
/// let catalog = Catalog(pipeline)
/// for app in try await catalog.apps.search("camera") {
///     print(app.position, app.name, app.rating?.text ?? "-", app.price ?? "-")
/// }
/// ```
///
/// It asks through a pipeline, and owns nothing beyond it: what is under way is cancelled and awaited where the pipeline
/// ends. Answers are kept for as long as they are fresh, in memory and, where the pipeline keeps
/// `StoredContents.documents`, in its store. Errors are ``CatalogError``.
public final class Catalog: Sendable {
    private let configuration: CatalogConfiguration
    private let appAnswers: CatalogAnswers<AppStoreEntity>
    private let albumAnswers: CatalogAnswers<AlbumPhoto>
    private let pictureAnswers: CatalogAnswers<CatalogPicture>

    /// Creates a catalogue that has asked nothing yet.
    ///
    /// The limit on calls is that of one catalogue, so a program has one for each set of services.
    public init(_ pipeline: ImagePipeline, _ configuration: CatalogConfiguration = CatalogConfiguration()) {
        self.configuration = configuration
        let store = CatalogService(
            CallGate(configuration.appCalls, pause: configuration.pause, clock: configuration.clock),
            refusesByForbidding: true
        )
        let albums = CatalogService(
            CallGate(nil, pause: configuration.pause, clock: configuration.clock)
        )
        appAnswers = CatalogAnswers(pipeline, store, configuration)
        albumAnswers = CatalogAnswers(pipeline, albums, configuration)
        pictureAnswers = CatalogAnswers(pipeline, CatalogService(nil), configuration)
    }

    /// The App Store.
    public var apps: AppStoreSearch { AppStoreSearch(appAnswers, base: configuration.services.apps) }

    /// The photos of an album; none where the service has no such album.
    ///
    /// - Throws: ``CatalogError``; `CancellationError` when the task is cancelled.
    public func album(_ id: Int) async throws -> CatalogListing<AlbumPhoto> {
        try await albumAnswers.listing(at: "\(configuration.services.albums)/albums/\(id)/photos") { bytes in
            AlbumListing(try JSONDocument(bytes).decoded(as: [LenientElement<AlbumWire>].self)).listing
        }
    }

    /// The picture that a text is drawn as, always the same for the same text and style; nothing is loaded.
    ///
    /// - Parameters:
    ///   - text: Any text of 1 to 2,000 bytes.
    ///   - style: What it looks like.
    /// - Returns: Where the picture is, under the text as its title.
    /// - Throws: `invalid_query`.
    public func robot(
        _ text: String,
        _ style: RobotStyle = RobotStyle()
    ) throws(CatalogError) -> CatalogPicture {
        let url = try style.url(of: text, below: configuration.services.robots)
        return CatalogPicture(url: url, title: PlainText.line(text) ?? "")
    }

    /// The pictures that a JSON document names.
    ///
    /// - Parameters:
    ///   - url: Where the document is. What it names may be relative to that.
    ///   - path: Where in the document the pictures' URLs are.
    /// - Returns: The pictures, without titles, in the order of the document.
    /// - Throws: ``CatalogError``, `invalid_document` where the path leads nowhere; `CancellationError`.
    public func pictures(at url: String, path: JSONPath) async throws -> CatalogListing<CatalogPicture> {
        let base: WebURL
        do { base = try WebURL(url) } catch { throw CatalogError(error) }
        return try await pictureAnswers.listing(at: url, part: path.description) { bytes in
            try PictureListing(try JSONDocument(bytes), path, base: base).listing
        }
    }
}
