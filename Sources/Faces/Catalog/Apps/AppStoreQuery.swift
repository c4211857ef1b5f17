import CalotypeCore

/// A search in an App Store.
public struct AppStoreQuery: Hashable, Sendable {
    /// The search words, as the user types them.
    public var term: String
    /// The two-letter code of the store's country (ISO 3166), `us` by default.
    public var country: String
    /// The maximum number of results, 1 to 200, 50 by default.
    public var limit: Int
    /// The language of the response, such as `en_us`; if `nil`, the store's own.
    public var language: String?

    /// Creates a query.
    public init(_ term: String, country: String = "us", limit: Int = 50, language: String? = nil) {
        self.term = term
        self.country = country
        self.limit = limit
        self.language = language
    }
}

extension AppStoreQuery {
    private static let longestTerm = 2_000

    /// Returns the URL of the search below `base`.
    ///
    /// - Throws: `invalid_query` for an invalid query.
    func url(below base: String) throws(CatalogError) -> String {
        guard !isBlank else { throw Self.invalid("the search is empty; enter a search term") }
        guard term.utf8.count <= Self.longestTerm else {
            throw Self.invalid("the term is longer than \(Self.longestTerm) bytes; enter fewer words")
        }
        guard (1...200).contains(limit) else {
            throw Self.invalid("the limit is \(limit); it must be 1 to 200")
        }
        var query = QueryText()
        query.add("term", term)
        query.add("entity", "software")
        query.add("country", try Self.country(country))
        query.add("limit", "\(limit)")
        query.add("lang", try Self.language(language))
        return "\(base)/search\(query.text)"
    }

    /// Whether the query has no search words.
    var isBlank: Bool { term.allSatisfy(\.isWhitespace) }

    /// Returns the country code to send.
    static func country(_ text: String) throws(CatalogError) -> String {
        guard text.utf8.count == 2, text.allSatisfy({ $0.isASCII && $0.isLetter }) else {
            throw invalid("the country is \"\(shown(text))\"; use a two-letter code such as us (ISO 3166)")
        }
        return text.lowercased()
    }

    /// Returns the language code to send.
    static func language(_ text: String?) throws(CatalogError) -> String? {
        guard let text else { return nil }
        let isName = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) }
        guard isName, (2...16).contains(text.utf8.count) else {
            throw invalid("the language is \"\(shown(text))\"; use a code such as en_us")
        }
        return text
    }

    private static func shown(_ text: String) -> String {
        PlainText.line(String(text.prefix(20))) ?? ""
    }

    private static func invalid(_ message: String) -> CatalogError {
        CatalogError(.invalidQuery, message)
    }
}

/// A lookup of apps by ID or bundle ID.
struct AppStoreLookup {
    enum Names {
        case ids([Int])
        case bundleIDs([String])

        var count: Int {
            switch self {
            case .ids(let ids): ids.count
            case .bundleIDs(let names): names.count
            }
        }
    }

    static let most = 200

    var names: Names
    var country: String
    var language: String?

    /// Returns the URL of the lookup below `base`.
    ///
    /// - Throws: `invalid_query` for an invalid lookup.
    func url(below base: String) throws(CatalogError) -> String {
        guard (1...Self.most).contains(names.count) else {
            throw CatalogError(
                .invalidQuery,
                "the lookup has \(names.count) apps; it must have 1 to \(Self.most)"
            )
        }
        var query = QueryText()
        switch names {
        case .ids(let ids):
            guard ids.allSatisfy({ $0 > 0 }) else {
                throw CatalogError(.invalidQuery, "an app ID must be at least 1")
            }
            query.add("id", ids.map { "\($0)" }, separator: ",")
        case .bundleIDs(let names): query.add("bundleId", names, separator: ",")
        }
        query.add("country", try AppStoreQuery.country(country))
        query.add("lang", try AppStoreQuery.language(language))
        return "\(base)/lookup\(query.text)"
    }
}
