import CalotypeCatalog

/// What one cell of a wall stands for: a picture, or an app with its icon.
struct WallEntry: Hashable, Sendable {
    /// The words below the cell; may be empty.
    let title: String
    /// The URL of the picture in the cell.
    let thumbnail: String
    /// The URL of the picture that has the screen for itself.
    let picture: String
    /// The app whose icon it is; `nil` for pictures of lists and albums.
    let app: AppEntity?

    init(_ picture: CatalogPicture) {
        (title, thumbnail, self.picture) = (picture.title, picture.url, picture.url)
        app = nil
    }

    init(_ photo: AlbumPhoto) {
        (title, thumbnail, picture) = (photo.title, photo.thumbnail.url, photo.url)
        app = nil
    }

    init(_ app: AppEntity) {
        title = "\(app.position). \(app.name)"
        (thumbnail, picture) = (app.icon, app.icon)
        self.app = app
    }

    /// The thumbnail for a cell of this many pixels; an app's icon comes in one of a few sizes, so that cells of nearly
    /// the same size share it.
    func thumbnail(pixels: Int) -> String {
        guard let app else { return thumbnail }
        return app.iconURL(side: Self.iconSide(pixels: pixels))
    }

    static func iconSide(pixels: Int) -> Int {
        [128, 256, 512].first { $0 >= pixels } ?? 1024
    }
}
