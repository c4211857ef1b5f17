public import CalotypeCatalog

/// What a wall shows to begin with.
public enum WallSource: Hashable, Sendable {
    /// Pictures that are known, under a title.
    case pictures(title: String, [CatalogPicture])
    /// The photos of an album.
    case album(Int)
    /// The apps that an App Store finds.
    case search(AppQuery)
}
