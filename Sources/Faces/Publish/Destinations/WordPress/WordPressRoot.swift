internal import CalotypeCore
internal import CalotypeHTTP

/// The two forms of URLs for a site's REST API.
enum WordPressRoot: String, Codable, CaseIterable {
    /// Below `/wp-json/`, if the site uses permalinks.
    case path
    /// In the query, as `/?rest_route=/`, on all other sites.
    case query

    /// Returns the URL of `call`, a path without a leading slash, with or without a query.
    func url(of call: String, at site: WebURL) throws(CalotypeError) -> WebURL {
        let home = site.withoutQuery
        let base = home.hasSuffix("/") ? home : home + "/"
        switch self {
        case .path: return try WebURL("\(base)wp-json/\(call)")
        case .query:
            // The query of `call` follows.
            let call = call.replacing("?", with: "&", maxReplacements: 1)
            return try WebURL("\(base)?rest_route=/\(call)")
        }
    }

    /// Finds out which form a site uses.
    static func find(of destination: WordPressDestination, _ client: PublishClient) async throws -> Self {
        for root in allCases where try await root.isFound(destination.calls(root, client)) { return root }
        let error = CalotypeError(
            .notWordPress,
            "no WordPress site found, neither at wp-json/ nor at ?rest_route=/; use the address of the site's home page, "
                + "and check that its REST API is reachable",
            stage: .response,
            url: destination.site.text
        )
        throw PublishError(error, .none)
    }

    private func isFound(_ calls: WordPressCalls) async throws -> Bool {
        let response: PublishResponse
        do {
            response = try await calls.ask("?_fields=namespaces,home")
        } catch let error as CalotypeError where error.code == .tooManyBytes {
            // Some sites have a page for every path.
            return false
        }
        guard response.isSuccess else {
            let failure = response.wordPressFailure("find the REST API")
            // A temporary failure, or a refusal by WordPress itself, would be the same with the other form.
            if failure.remedy != .none || response.status == 401 { throw failure }
            if response.status != 404, response.wordPressErrorReport != nil { throw failure }
            return false
        }
        guard let index = try? response.json(WordPressIndex.self), index.namespaces.contains("wp/v2") else {
            return false
        }
        try calls.requireHere(response, home: index.home)
        return true
    }
}

/// A site's description of its REST API.
private struct WordPressIndex: Decodable {
    let namespaces: [String]
    let home: String?
}
