import CalotypeCatalog
import CalotypeCommandLineKit
import CalotypeCore

/// The content of a wall: entries, or a message if there are none.
struct WallContent: Hashable, Sendable {
    /// The progress of loading.
    enum State: Hashable, Sendable {
        /// Nothing was requested.
        case initial
        /// The entries are loading.
        case loading
        /// There are no entries.
        case empty
        /// The entries could not be loaded.
        case failed
        /// The entries are loaded.
        case ready
    }

    /// The source of the entries, for the title line.
    let title: String
    let state: State
    /// The message instead of entries; empty if there are some.
    let message: String
    /// Empty unless the state is `ready`.
    let entries: [WallEntry]
    /// Whether Escape returns to the previous content, such as after a search.
    let canBeLeft: Bool

    /// Creates a message.
    init(_ state: State, title: String, message: String, canBeLeft: Bool = false) {
        self.title = title
        self.state = state
        self.message = message
        self.canBeLeft = canBeLeft
        entries = []
    }

    /// Creates a list of at least one entry.
    init(title: String, entries: [WallEntry], canBeLeft: Bool = false) {
        self.title = title
        self.entries = entries
        self.canBeLeft = canBeLeft
        state = .ready
        message = ""
    }
}

/// The content of a wall's cell: a picture, or an app with its icon.
struct WallEntry: Hashable, Sendable {
    /// The caption of the cell; may be empty.
    let title: String
    /// The URL of the picture in the cell.
    let thumbnail: String
    /// The URL of the full-screen picture.
    let picture: String
    /// The app whose icon the cell shows; `nil` for pictures of lists and albums.
    let app: AppStoreEntity?

    init(_ picture: CatalogPicture) {
        (title, thumbnail, self.picture) = (picture.title, picture.url, picture.url)
        app = nil
    }

    init(_ photo: AlbumPhoto) {
        (title, thumbnail, picture) = (photo.title, photo.thumbnail.url, photo.url)
        app = nil
    }

    init(_ app: AppStoreEntity) {
        title = "\(app.position). \(app.name)"
        (thumbnail, picture) = (app.icon, app.icon)
        self.app = app
    }

    /// Returns the thumbnail for a cell of `pixels`.
    ///
    /// App icons have only a few sizes, so cells of similar size share one.
    func thumbnail(pixels: Int) -> String {
        guard let app else { return thumbnail }
        return app.iconURL(side: Self.iconSide(pixels: pixels))
    }

    static func iconSide(pixels: Int) -> Int {
        [128, 256, 512].first { $0 >= pixels } ?? 1024
    }
}

extension WallContent {
    /// The content for a search; `nil` before the first one.
    @MainActor
    init?(_ state: AppStoreSearchModel.State, canBeLeft: Bool) {
        guard let query = state.query else { return nil }
        let title = "App Store (\(query.country)): \(query.term)"
        switch state {
        case .initial: return nil
        case .loading:
            // Escape cancels the search, whatever was shown before it.
            self.init(.loading, title: title, message: "Searching for “\(query.term)” …", canBeLeft: true)
        case .empty:
            let message = "No apps were found for “\(query.term)”. Press / to search for something else."
            self.init(.empty, title: title, message: message, canBeLeft: canBeLeft)
        case .failed(_, let error):
            self.init(.failed, title: title, message: Self.message(error), canBeLeft: canBeLeft)
        case .results(let response):
            self.init(title: title, entries: response.apps.map { WallEntry($0) }, canBeLeft: canBeLeft)
        }
    }

    /// The content before the first request.
    static let initial = WallContent(
        .initial,
        title: "App Store",
        message: "Press / to search for apps, ? for all keys."
    )

    static func list(title: String, _ pictures: [CatalogPicture]) -> WallContent {
        guard !pictures.isEmpty else {
            return WallContent(.empty, title: title, message: "This list has no images.")
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
            return WallContent(.empty, title: title, message: "Album \(id) has no photos.")
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

/// The titles of pictures that have only a URL.
package enum PictureTitles {
    /// Returns the last path component of each URL, which is usually a file name.
    ///
    /// If all URLs end with the same component, the last one that differs is used. A URL without a path is
    /// its own title.
    package static func titles(of urls: [String]) -> [String] {
        let paths = urls.map(path)
        let shortest = paths.map(\.count).min() ?? 0
        var common = 0
        while urls.count > 1, common + 1 < shortest, isSame(common, in: paths) { common += 1 }
        return zip(urls, paths).map { url, path in
            TerminalText.line(
                path.isEmpty ? URLCredentials.removed(from: url) : String(path[path.count - 1 - common])
            )
        }
    }

    /// The components of the path, without host and query.
    private static func path(_ url: String) -> [Substring] {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        let parts = url[..<end].split(separator: "/")
        // The scheme and the host are two parts.
        return Array(parts.dropFirst(2))
    }

    /// Whether all paths have the same component at this place, counted from the end.
    private static func isSame(_ place: Int, in paths: [[Substring]]) -> Bool {
        let first = paths.first.map { $0[$0.count - 1 - place] }
        return paths.allSatisfy { $0[$0.count - 1 - place] == first }
    }
}
