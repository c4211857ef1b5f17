import CalotypeCatalog
import CalotypeCore

/// An App Store app in the API.
struct AppStoreDocument: Encodable, Sendable {
    struct Rating: Encodable, Sendable {
        let text: String
        let average: Double
        let count: Int
    }

    let id: Int
    let position: Int
    let name: String
    @Nullable var developer: String?
    @Nullable var rating: Rating?
    @Nullable var price: String?
    /// The URL of its page in the store.
    let page: String
    let genres: [String]
    @Nullable var version: String?
    let icon: PictureDocument

    init(_ app: AppStoreEntity, side: Int, _ services: AppServices) throws {
        id = app.id
        position = app.position
        name = app.name
        _developer = Nullable(wrappedValue: app.developer)
        _rating = Nullable(
            wrappedValue: app.rating.map { Rating(text: $0.text, average: $0.average, count: $0.count) }
        )
        _price = Nullable(wrappedValue: app.price)
        page = URLCredentials.removed(from: app.storePage)
        genres = app.genres
        _version = Nullable(wrappedValue: app.version)
        icon = try PictureDocument(app.iconPicture(side: side), .fill, side: side, services)
    }
}

/// An app with everything that its page shows.
struct AppStoreDetailDocument: Encodable, Sendable {
    private enum Key: CodingKey {
        case summary, screenshots, tabletScreenshots
    }

    private let app: AppStoreDocument
    private let summary: String
    private let screenshots: [PictureDocument]
    private let tabletScreenshots: [PictureDocument]

    /// - Parameters:
    ///   - app: The app.
    ///   - side: The side of its icon.
    ///   - shot: The longer side of its screenshots.
    ///   - services: Creates the paths.
    /// - Throws: If paths cannot be signed.
    init(_ app: AppStoreEntity, side: Int, shot: Int, _ services: AppServices) throws {
        self.app = try AppStoreDocument(app, side: side, services)
        summary = app.summary
        let all = try app.screenshots.map { try PictureDocument($0, .fit, side: shot, services) }
        screenshots = Array(all.prefix(app.phoneScreenshots.count))
        tabletScreenshots = Array(all.dropFirst(app.phoneScreenshots.count))
    }

    func encode(to encoder: any Encoder) throws {
        try app.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(summary, forKey: .summary)
        try container.encode(screenshots, forKey: .screenshots)
        try container.encode(tabletScreenshots, forKey: .tabletScreenshots)
    }
}

/// A picture in the API.
struct PictureDocument: Encodable, Sendable {
    /// The URL of the source.
    let url: String
    /// The path on this server of the image in the requested size.
    let src: String
    /// A short description of the image.
    let title: String

    init(_ picture: CatalogPicture, _ fit: ScalingMode, side: Int, _ services: AppServices) throws {
        url = URLCredentials.removed(from: picture.url)
        src = try services.path(to: picture.url, fit, side: side)
        title = picture.title
    }
}
