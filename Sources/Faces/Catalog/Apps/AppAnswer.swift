public import CalotypeCore

/// The answer to a search: the apps that were found, and what of the answer was left out.
public struct AppAnswer: Hashable, Sendable {
    /// What was searched for.
    public var query: AppQuery
    /// What was found.
    public var listing: CatalogListing<AppEntity>

    /// Creates an answer.
    public init(query: AppQuery, listing: CatalogListing<AppEntity>) {
        self.query = query
        self.listing = listing
    }

    /// The apps, in the store's order.
    public var apps: [AppEntity] { listing.entries }
    /// What was left out, and why.
    public var skipped: [SkippedEntry] { listing.skipped }
    /// How what was kept of an earlier answer helped.
    public var cache: CacheUse { listing.cache }
}
