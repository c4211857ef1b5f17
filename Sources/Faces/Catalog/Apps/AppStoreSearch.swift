public import CalotypeCore
import TaskFlow

/// Searches an App Store and looks up its apps, with the iTunes Search API or a compatible service.
///
/// Equal queries at the same time share one request, and a response is cached while it is fresh. Only
/// complete responses count: every error is a ``CatalogError``, or `CancellationError`, immediately, if the
/// task is cancelled.
public struct AppStoreSearch: Sendable {
    private let responses: CatalogResponses<AppStoreEntity>
    private let base: String

    /// The number of searches and lookups that wait for a response.
    var waiterCount: Int { responses.waiterCount }
    /// The scope that owns the searches.
    var scope: TaskScope { responses.scope }

    init(_ responses: CatalogResponses<AppStoreEntity>, base: String) {
        self.responses = responses
        self.base = base
    }

    /// Searches the store of the United States for a term.
    ///
    /// - Returns: The apps in the store's order; empty if there are none.
    /// - Throws: ``CatalogError``; `CancellationError`.
    public func search(_ term: String) async throws -> [AppStoreEntity] {
        try await search(AppStoreQuery(term))
    }

    /// Searches a store.
    ///
    /// - Returns: The apps in the store's order; empty if there are none.
    /// - Throws: ``CatalogError``; `CancellationError`.
    public func search(_ query: AppStoreQuery) async throws -> [AppStoreEntity] {
        try await response(to: query).apps
    }

    /// Searches a store, and also returns the skipped parts of the response.
    ///
    /// - Throws: ``CatalogError``, such as `invalid_query` for an empty query; `CancellationError`.
    public func response(to query: AppStoreQuery) async throws -> AppStoreResponse {
        let url = try query.url(below: base)
        let listing = try await responses.listing(at: url) { bytes in
            try Self.listing(bytes, limit: query.limit)
        }
        return AppStoreResponse(query: query, listing: listing)
    }

    /// Looks up an app by its ID.
    ///
    /// - Throws: ``CatalogError``, such as `no_such_app` if the country's store does not have it;
    ///   `CancellationError`.
    public func app(_ id: Int, country: String = "us", language: String? = nil) async throws -> AppStoreEntity
    {
        let listing = try await lookup([id], country: country, language: language)
        if let app = listing.entries.first(where: { $0.id == id }) { return app }
        if let entry = listing.skipped.first(where: { $0.part == .entry }) {
            throw CatalogError(.invalidDocument, "the response for app \(id) is invalid: \(entry.reason)")
        }
        throw CatalogError(
            .noSuchApp,
            "the store of \(country) has no app \(id); try another country"
        )
    }

    /// Looks up 1 to 200 apps by their IDs.
    ///
    /// - Returns: The apps that the country's store has.
    /// - Throws: ``CatalogError``; `CancellationError`.
    public func lookup(
        _ ids: [Int],
        country: String = "us",
        language: String? = nil
    ) async throws -> CatalogListing<AppStoreEntity> {
        try await lookup(AppStoreLookup(names: .ids(ids), country: country, language: language))
    }

    /// Looks up 1 to 200 apps by their bundle IDs, such as `com.example.camera`.
    ///
    /// - Returns: The apps that the country's store has.
    /// - Throws: ``CatalogError``; `CancellationError`.
    public func lookup(
        bundleIDs: [String],
        country: String = "us",
        language: String? = nil
    ) async throws -> CatalogListing<AppStoreEntity> {
        try await lookup(AppStoreLookup(names: .bundleIDs(bundleIDs), country: country, language: language))
    }

    private func lookup(_ lookup: AppStoreLookup) async throws -> CatalogListing<AppStoreEntity> {
        try await responses.listing(at: try lookup.url(below: base)) { bytes in
            try Self.listing(bytes, limit: AppStoreLookup.most)
        }
    }

    static func listing(_ bytes: [UInt8], limit: Int) throws(CatalogError) -> CatalogListing<AppStoreEntity> {
        AppStoreListing(try JSONDocument(bytes).decoded(as: AppStoreListWire.self), limit: limit).listing
    }
}

/// The response to a search: the apps found, and the skipped parts.
public struct AppStoreResponse: Hashable, Sendable {
    /// The query.
    public var query: AppStoreQuery
    /// The results.
    public var listing: CatalogListing<AppStoreEntity>

    /// Creates a response.
    public init(query: AppStoreQuery, listing: CatalogListing<AppStoreEntity>) {
        self.query = query
        self.listing = listing
    }

    /// The apps, in the store's order.
    public var apps: [AppStoreEntity] { listing.entries }
    /// The skipped parts, with reasons.
    public var skipped: [SkippedEntry] { listing.skipped }
    /// How the cache was used.
    public var cache: CacheUse { listing.cache }
}
