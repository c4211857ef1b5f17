public import CalotypeCore
public import CalotypeHTTP
public import CalotypeStore

/// Whom a catalogue asks, how often, and what it keeps.
public struct CatalogConfiguration: Sendable {
    /// Where the services are.
    public var services: CatalogServices
    /// How often the App Store is asked; no limit where `nil`.
    ///
    /// It is ``CallLimit/appStore`` for the real store, and `nil` for any other base.
    public var appCalls: CallLimit?
    /// How long the App Store is left alone after it has said that it was asked too often, where it does not tell how long
    /// itself; 60 s by default.
    public var pause = Duration.seconds(60)
    /// How answers that were kept are treated, `.use` by default.
    public var cachePolicy = CachePolicy.use
    /// Which addresses the services may have, any by default; it says nothing of what their answers name.
    public var addressPolicy = AddressPolicy.any
    /// The most bytes of an answer, 8 MiB by default.
    public var documentLimit = ByteCount.mebibytes(8)
    /// What is kept in memory of answers of each kind that are fresh: 64 of them and 16 MiB by default.
    public var remembered = MemoryCacheLimits(bytes: .mebibytes(16), count: 64)
    /// What measures pauses and how long an answer is fresh.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Tells the time that the dates of HTTP are compared with.
    public var wallClock: @Sendable () -> WallTime = WallTime.now

    /// Creates the default configuration for `services`.
    public init(services: CatalogServices = .real) {
        self.services = services
        appCalls = services.apps == CatalogServices.real.apps ? .appStore : nil
    }
}

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

/// How often a service is asked.
public struct CallLimit: Hashable, Sendable {
    /// The most calls within any minute.
    public let callsPerMinute: Int
    /// The most calls at once, after a time without any.
    public let burst: Int

    /// The real App Store's, which allows about 20 calls a minute: the first five at once, then one each four seconds.
    public static let appStore = CallLimit(callsPerMinute: 20, burst: 5)

    /// Creates a limit; less than one call a minute is one, and a burst is less than the calls of a minute, if these are
    /// more than one.
    public init(callsPerMinute: Int, burst: Int = 1) {
        self.callsPerMinute = max(callsPerMinute, 1)
        self.burst = max(min(burst, self.callsPerMinute - 1), 1)
    }

    /// The time in which one more call is allowed: a burst and what is allowed in the minute after it are no more than
    /// the calls of a minute.
    var interval: Duration {
        .seconds(60) / max(callsPerMinute - burst, 1)
    }
}
