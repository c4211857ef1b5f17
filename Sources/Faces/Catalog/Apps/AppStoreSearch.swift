public import CalotypeCore
import TaskFlow

/// Searches an App Store, and looks up its apps: the iTunes Search API, or what answers in its shape.
///
/// Equal questions at the same time are asked once, and an answer is taken again as long as it is fresh. Nothing but a
/// whole answer is: every error is a ``CatalogError``, or `CancellationError`, at once, when the task is cancelled.
public struct AppStoreSearch: Sendable {
    private let answers: CatalogAnswers<AppStoreEntity>
    private let base: String

    /// The number of searches and lookups that wait for an answer.
    var waiterCount: Int { answers.waiterCount }
    /// Owns the searches.
    var scope: TaskScope { answers.scope }

    init(_ answers: CatalogAnswers<AppStoreEntity>, base: String) {
        self.answers = answers
        self.base = base
    }

    /// Searches the store of the United States for a term.
    ///
    /// - Returns: The apps in the store's order; none where it has none.
    /// - Throws: ``CatalogError``; `CancellationError`.
    public func search(_ term: String) async throws -> [AppStoreEntity] {
        try await search(AppStoreQuery(term))
    }

    /// Searches a store.
    ///
    /// - Returns: The apps in the store's order; none where it has none.
    /// - Throws: ``CatalogError``; `CancellationError`.
    public func search(_ query: AppStoreQuery) async throws -> [AppStoreEntity] {
        try await answer(to: query).apps
    }

    /// Searches a store, and tells also what of the answer was left out.
    ///
    /// - Throws: ``CatalogError``, `invalid_query` for a query without words, for example; `CancellationError`.
    public func answer(to query: AppStoreQuery) async throws -> AppStoreResponse {
        let url = try query.url(below: base)
        let listing = try await answers.listing(at: url) { bytes in
            try Self.listing(bytes, limit: query.limit)
        }
        return AppStoreResponse(query: query, listing: listing)
    }

    /// Looks up an app by its number.
    ///
    /// - Throws: ``CatalogError``, `no_such_app` where the store of the country does not have it; `CancellationError`.
    public func app(_ id: Int, country: String = "us", language: String? = nil) async throws -> AppStoreEntity
    {
        let listing = try await lookup([id], country: country, language: language)
        if let app = listing.entries.first(where: { $0.id == id }) { return app }
        if let entry = listing.skipped.first(where: { $0.part == .entry }) {
            throw CatalogError(.invalidDocument, "the answer for app \(id) makes no sense: \(entry.reason)")
        }
        throw CatalogError(
            .noSuchApp,
            "the store of \(country) has no app \(id); look for it in another country"
        )
    }

    /// Looks up apps by their numbers, 1 to 200 of them.
    ///
    /// - Returns: Those that the store of the country has.
    /// - Throws: ``CatalogError``; `CancellationError`.
    public func lookup(
        _ ids: [Int],
        country: String = "us",
        language: String? = nil
    ) async throws -> CatalogListing<AppStoreEntity> {
        try await lookup(AppStoreLookup(names: .ids(ids), country: country, language: language))
    }

    /// Looks up apps by their bundle identifiers, such as `com.example.camera`, 1 to 200 of them.
    ///
    /// - Returns: Those that the store of the country has.
    /// - Throws: ``CatalogError``; `CancellationError`.
    public func lookup(
        bundleIDs: [String],
        country: String = "us",
        language: String? = nil
    ) async throws -> CatalogListing<AppStoreEntity> {
        try await lookup(AppStoreLookup(names: .bundleIDs(bundleIDs), country: country, language: language))
    }

    private func lookup(_ lookup: AppStoreLookup) async throws -> CatalogListing<AppStoreEntity> {
        try await answers.listing(at: try lookup.url(below: base)) { bytes in
            try Self.listing(bytes, limit: AppStoreLookup.most)
        }
    }

    static func listing(_ bytes: [UInt8], limit: Int) throws(CatalogError) -> CatalogListing<AppStoreEntity> {
        AppStoreListing(try JSONDocument(bytes).decoded(as: AppStoreListWire.self), limit: limit).listing
    }
}

/// The answer to a search: the apps that were found, and what of the answer was left out.
public struct AppStoreResponse: Hashable, Sendable {
    /// What was searched for.
    public var query: AppStoreQuery
    /// What was found.
    public var listing: CatalogListing<AppStoreEntity>

    /// Creates an answer.
    public init(query: AppStoreQuery, listing: CatalogListing<AppStoreEntity>) {
        self.query = query
        self.listing = listing
    }

    /// The apps, in the store's order.
    public var apps: [AppStoreEntity] { listing.entries }
    /// What was left out, and why.
    public var skipped: [SkippedEntry] { listing.skipped }
    /// How what was kept of an earlier answer helped.
    public var cache: CacheUse { listing.cache }
}
