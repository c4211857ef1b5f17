import CalotypeCatalog
import CalotypeCore

/// A picture as the API tells of it.
struct PictureDocument: Encodable, Sendable {
    /// Where it comes from.
    let url: String
    /// Its path on this server, made as large as was asked for.
    let src: String
    /// What it shows, in a few words.
    let title: String

    init(_ picture: CatalogPicture, _ fit: PictureFit, side: Int, _ services: AppServices) throws {
        url = URLCredentials.removed(from: picture.url)
        src = try services.path(to: picture.url, fit, side: side)
        title = picture.title
    }
}
