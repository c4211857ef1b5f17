/// What an App Store is searched for.
public struct AppQuery: Hashable, Sendable {
    /// The words, as people type them.
    public var term: String
    /// The store's country, two letters (ISO 3166), `us` unless given.
    public var country: String
    /// The most results, 1 to 200, 50 unless given.
    public var limit: Int
    /// The language of the answer, such as `en_us`; the store's own where `nil`.
    public var language: String?

    /// Creates a query.
    public init(_ term: String, country: String = "us", limit: Int = 50, language: String? = nil) {
        self.term = term
        self.country = country
        self.limit = limit
        self.language = language
    }
}
