import CalotypeBulk
import CalotypeCatalog
import CalotypeCore

/// A request for a wall, as the body of an HTTP request.
struct WallRequest: Decodable, Sendable {
    /// The maximum number of pictures of a wall.
    static let mostEntries = 10_000
    /// The maximum size of the request's body.
    static let mostBytes = 8 << 20

    var urls: [String]?
    var list: String?
    var album: Int?
    var search: String?
    var country: String?
    var side: Int?
    var format: String?
    var quality: Int?

    /// Returns the size of the pictures, 192 by default, rounded up so that the caches have few sizes.
    ///
    /// - Throws: 400 for an invalid size.
    func checkedSide() throws(APIError) -> Int {
        let side = side ?? 192
        guard (1...1024).contains(side) else {
            throw .invalidWall("side must be a whole number, 1 to 1024")
        }
        return QueryValues.side(atLeast: side)
    }

    /// Returns the format and quality of the pictures.
    ///
    /// - Throws: 400 for an unknown format, an invalid quality, or a quality of a format that has none.
    func checkedOutput() throws(APIError) -> ImageOutput {
        let name = format ?? WallImages.automatic
        let format = WallImages.formats.first { $0.rawValue == name }
        guard format != nil || name == WallImages.automatic else {
            let names = [WallImages.automatic] + WallImages.formats.map(\.rawValue)
            throw .invalidWall("format must be one of \(names.joined(separator: ", "))")
        }
        guard let quality else { return ImageOutput(format: format) }
        guard (1...100).contains(quality) else {
            throw .invalidWall("quality must be a whole number, 1 to 100")
        }
        guard format != .png else {
            throw .invalidWall("PNG has no quality; leave it out or choose another format")
        }
        return ImageOutput(format: format, quality: quality)
    }

    /// Returns the contents of the wall; queries the catalogue for an album or a search.
    ///
    /// - Throws: ``APIError`` if the request is invalid, or names nothing or too much; `CatalogError`;
    ///   `CancellationError`.
    func contents(_ catalog: Catalog) async throws -> WallContents {
        let given = [urls != nil, list != nil, album != nil, search != nil].count { $0 }
        guard given == 1 else {
            throw APIError.invalidWall("use exactly one of urls, list, album and search")
        }
        let contents = try await found(catalog)
        guard !contents.items.isEmpty else {
            throw APIError(422, "empty_result", "nothing to show: no URL was found")
        }
        guard contents.items.count <= Self.mostEntries else {
            throw APIError(
                413,
                "too_many_entries",
                "a wall has at most \(Self.mostEntries) pictures; use a shorter list"
            )
        }
        return contents
    }

    private func found(_ catalog: Catalog) async throws -> WallContents {
        if let urls { return WallContents(urls: urls) }
        if let list {
            return WallContents(items: ListItem.entries(of: list, limit: Self.mostEntries + 1))
        }
        if let album {
            let photos = try await catalog.album(album).entries
            return WallContents(urls: photos.map(\.url), title: "Album \(album)")
        }
        let query = AppStoreQuery(search ?? "", country: country ?? "us", limit: 200)
        let apps = try await catalog.apps.response(to: query).apps
        let side = try checkedSide()
        return WallContents(urls: apps.map { $0.iconURL(side: side) }, title: query.term, fit: .fill)
    }
}

/// The size, format and quality of a wall's pictures in the API.
struct WallImages: Encodable, Sendable {
    /// The name of the format that the server chooses for each image.
    static let automatic = "automatic"
    /// The formats that a wall's pictures can have.
    static let formats: [ImageFormat] = [.jpeg, .webp, .avif, .png]

    let side: Int
    let format: String
    /// `nil` for the server's default.
    let quality: Int?

    init(_ wall: Wall) {
        side = wall.side
        format = wall.output.format?.rawValue ?? Self.automatic
        quality = wall.output.quality
    }
}

/// The contents of a wall.
struct WallContents: Sendable {
    let items: [ListItem]
    let title: String
    let fit: ScalingMode

    init(items: [ListItem], title: String = "", fit: ScalingMode = .fit) {
        self.items = items
        self.title = title
        self.fit = fit
    }

    init(urls: [String], title: String = "", fit: ScalingMode = .fit) {
        self.init(
            items: urls.enumerated().map { ListItem(index: $0, url: $1) },
            title: title,
            fit: fit
        )
    }
}

extension APIError {
    fileprivate static func invalidWall(_ message: String) -> APIError {
        APIError(400, "invalid_request", message)
    }
}
