import CalotypeCore

/// Apps that an App Store is asked for by what they are called there.
struct AppLookup {
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

    /// The URL of the lookup below `base`.
    ///
    /// - Throws: `invalid_query` for a lookup that makes no sense.
    func url(below base: String) throws(CatalogError) -> String {
        guard (1...Self.most).contains(names.count) else {
            throw CatalogError(.invalidQuery, "the lookup names \(names.count) apps; name 1 to \(Self.most)")
        }
        var query = QueryText()
        switch names {
        case .ids(let ids):
            guard ids.allSatisfy({ $0 > 0 }) else {
                throw CatalogError(.invalidQuery, "the number of an app is 1 or more")
            }
            query.add("id", ids.map { "\($0)" }, separator: ",")
        case .bundleIDs(let names): query.add("bundleId", names, separator: ",")
        }
        query.add("country", try AppQuery.country(country))
        query.add("lang", try AppQuery.language(language))
        return "\(base)/lookup\(query.text)"
    }
}
