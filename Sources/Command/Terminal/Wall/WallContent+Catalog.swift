import CalotypeCatalog

extension WallContent {
    /// What a search shows; `nil` before there was one.
    @MainActor
    init?(_ state: AppSearchModel.State, canBeLeft: Bool) {
        guard let query = state.query else { return nil }
        let title = "App Store (\(query.country)): \(query.term)"
        switch state {
        case .initial: return nil
        case .loading:
            // Escape cancels what is on its way, whatever was before it.
            self.init(.loading, title: title, message: "Searching for “\(query.term)” …", canBeLeft: true)
        case .empty:
            let message = "No apps were found for “\(query.term)”. Press / to search for something else."
            self.init(.empty, title: title, message: message, canBeLeft: canBeLeft)
        case .failed(_, let error):
            self.init(.failed, title: title, message: Self.message(error), canBeLeft: canBeLeft)
        case .results(let answer):
            self.init(title: title, entries: answer.apps.map { WallEntry($0) }, canBeLeft: canBeLeft)
        }
    }

    /// What can be said before anything was asked for.
    static let initial = WallContent(
        .initial,
        title: "App Store",
        message: "Press / to search for apps, ? for all keys."
    )

    static func list(title: String, _ pictures: [CatalogPicture]) -> WallContent {
        guard !pictures.isEmpty else {
            return WallContent(.empty, title: title, message: "There are no pictures in this list.")
        }
        return WallContent(title: title, entries: pictures.map { WallEntry($0) })
    }

    static func loading(album id: Int) -> WallContent {
        WallContent(.loading, title: "Album \(id)", message: "Loading album \(id) …")
    }

    static func album(_ id: Int, _ outcome: Result<[AlbumPhoto], CatalogError>) -> WallContent {
        let title = "Album \(id)"
        switch outcome {
        case .success(let photos) where photos.isEmpty:
            return WallContent(.empty, title: title, message: "There are no photos in album \(id).")
        case .success(let photos):
            return WallContent(title: title, entries: photos.map { WallEntry($0) })
        case .failure(let error):
            return WallContent(.failed, title: title, message: message(error))
        }
    }

    private static func message(_ error: CatalogError) -> String {
        "\(error.code): \(error.message)\n\nPress r to try again, / to search for something else."
    }
}
