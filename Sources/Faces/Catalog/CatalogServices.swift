/// Where the services are that a catalogue asks: the real ones, or others with the same shapes.
public struct CatalogServices: Hashable, Sendable {
    /// The App Store's search: `/search` and `/lookup` are below it.
    public var apps: String
    /// The albums: `/albums/ID/photos` is below it.
    public var albums: String
    /// The robots: `/TEXT.png` is below it.
    public var robots: String

    /// The real services: the iTunes Search API, JSONPlaceholder and Robohash.
    public static let real = CatalogServices(
        apps: "https://itunes.apple.com",
        albums: "https://jsonplaceholder.typicode.com",
        robots: "https://robohash.org"
    )

    /// Creates services from their base URLs, which have neither a query nor a slash at the end.
    public init(apps: String, albums: String, robots: String) {
        self.apps = apps
        self.albums = albums
        self.robots = robots
    }

    /// One server that has all of them, such as `calotype origin`: `/search`, `/lookup`, `/albums` and `/robots`.
    public init(base: String) {
        let base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.init(apps: base, albums: base, robots: base + "/robots")
    }
}
