public import CalotypeCatalog
public import CalotypeCore

/// How a wall looks, loads and searches.
public struct WallOptions: Sendable {
    /// The size that cells are wanted in.
    public var cell = WallCellSize.standard
    /// What may be taken from the caches, for every picture.
    public var cachePolicy = CachePolicy.use
    /// What is searched for beside the words that someone types: country, language and limit.
    public var query = AppQuery("")

    /// Creates the default options.
    public init() {}
}
