public import CalotypeCatalog

/// What one cell of a wall stands for: a picture, or an app with its icon.
public struct WallEntry: Hashable, Sendable {
    /// The picture in the cell, and the words below it.
    public let picture: CatalogPicture
    /// The app whose icon it is; `nil` for pictures of lists and albums.
    public let app: AppEntity?

    /// Creates the entry of a picture.
    public init(_ picture: CatalogPicture) {
        self.picture = picture
        app = nil
    }

    /// Creates the entry of an app.
    public init(_ app: AppEntity) {
        picture = CatalogPicture(url: app.icon, title: "\(app.position). \(app.name)")
        self.app = app
    }

    /// The screenshots, those for phones first; none where it is no app.
    var screenshots: [String] { app.map { $0.phoneScreenshots + $0.tabletScreenshots } ?? [] }
}
