import CalotypeCatalog

/// An app with all that its page shows.
struct AppDetailDocument: Encodable, Sendable {
    private enum Key: CodingKey {
        case summary, screenshots, tabletScreenshots
    }

    private let app: AppDocument
    private let summary: String
    private let screenshots: [PictureDocument]
    private let tabletScreenshots: [PictureDocument]

    /// - Parameters:
    ///   - app: The app.
    ///   - side: The side of its icon.
    ///   - shot: The longer side of its screenshots.
    ///   - services: Makes the paths.
    /// - Throws: Where paths cannot be signed.
    init(_ app: AppEntity, side: Int, shot: Int, _ services: AppServices) throws {
        self.app = try AppDocument(app, side: side, services)
        summary = app.summary
        let all = try app.screenshots.map { try PictureDocument($0, .fit, side: shot, services) }
        screenshots = Array(all.prefix(app.phoneScreenshots.count))
        tabletScreenshots = Array(all.dropFirst(app.phoneScreenshots.count))
    }

    func encode(to encoder: any Encoder) throws {
        try app.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(summary, forKey: .summary)
        try container.encode(screenshots, forKey: .screenshots)
        try container.encode(tabletScreenshots, forKey: .tabletScreenshots)
    }
}
