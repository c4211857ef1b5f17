/// A photo of an album, as JSONPlaceholder describes it.
public struct AlbumPhoto: Hashable, Sendable, Identifiable {
    /// The service's number for it.
    public let id: Int
    /// The album's number; `nil` where the answer has none.
    public var albumID: Int?
    /// Its place in the answer, from 1; photos that were left out have places too.
    public var position: Int
    /// Its title on one line; may be empty.
    public var title: String
    /// Where the whole photo is.
    public var url: String
    /// Where a small one is; `nil` where the answer has none that can be loaded.
    public var thumbnailURL: String?

    /// Creates a photo.
    public init(
        id: Int,
        albumID: Int? = nil,
        position: Int = 1,
        title: String = "",
        url: String,
        thumbnailURL: String? = nil
    ) {
        self.id = id
        self.albumID = albumID
        self.position = position
        self.title = title
        self.url = url
        self.thumbnailURL = thumbnailURL
    }

    /// The whole photo, under its title.
    public var picture: CatalogPicture { CatalogPicture(url: url, title: title) }
    /// The small photo where there is one, otherwise the whole one, under its title.
    public var thumbnail: CatalogPicture { CatalogPicture(url: thumbnailURL ?? url, title: title) }
}
