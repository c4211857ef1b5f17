import CalotypeCatalog
import CalotypeCore

/// An app of the App Store as the API tells of it.
struct AppDocument: Encodable, Sendable {
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
    /// Its page in the store.
    let page: String
    let genres: [String]
    @Nullable var version: String?
    let icon: PictureDocument

    init(_ app: AppEntity, side: Int, _ services: AppServices) throws {
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
