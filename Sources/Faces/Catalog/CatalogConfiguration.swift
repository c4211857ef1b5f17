public import CalotypeCore
public import CalotypeHTTP
public import CalotypeStore

/// The services of a catalogue, their rate limits, and caching.
public struct CatalogConfiguration: Sendable {
    /// The services to query.
    public var services: CatalogServices
    /// The rate limit of the App Store; `nil` for no limit.
    ///
    /// It is ``CallLimit/appStore`` for the real store, and `nil` for any other base URL.
    public var appCalls: CallLimit?
    /// The pause after the App Store reports too many requests without a time; 60 s by default.
    public var pause = Duration.seconds(60)
    /// How to use cached responses, `.use` by default.
    public var cachePolicy = CachePolicy.use
    /// The allowed addresses of the services, any by default; it does not apply to URLs in their responses.
    public var addressPolicy = AddressPolicy.any
    /// The maximum size of a response, 8 MiB by default.
    public var documentLimit = ByteCount.mebibytes(8)
    /// The limits for fresh responses of each kind in memory: 64 responses and 16 MiB by default.
    public var remembered = MemoryCacheLimits(bytes: .mebibytes(16), count: 64)
    /// The clock for pauses and freshness.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Returns the current date, which is compared with dates in HTTP.
    public var wallClock: @Sendable () -> WallTime = WallTime.now

    /// Creates the default configuration for `services`.
    public init(services: CatalogServices = .real) {
        self.services = services
        appCalls = services.apps == CatalogServices.real.apps ? .appStore : nil
    }
}

/// The services that a catalogue queries: the real ones, or compatible ones.
public struct CatalogServices: Hashable, Sendable {
    /// The base URL of the App Store's search, with `/search` and `/lookup`.
    public var apps: String
    /// The base URL of the albums, with `/albums/ID/photos`.
    public var albums: String
    /// The base URL of the robots, with `/TEXT.png`.
    public var robots: String

    /// The real services: the iTunes Search API, JSONPlaceholder and Robohash.
    public static let real = CatalogServices(
        apps: "https://itunes.apple.com",
        albums: "https://jsonplaceholder.typicode.com",
        robots: "https://robohash.org"
    )

    /// Creates services from their base URLs, without a query or a trailing slash.
    public init(apps: String, albums: String, robots: String) {
        self.apps = apps
        self.albums = albums
        self.robots = robots
    }

    /// Creates services on one server, such as `calotype origin`.
    ///
    /// They are at `/search`, `/lookup`, `/albums` and `/robots`.
    public init(base: String) {
        let base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.init(apps: base, albums: base, robots: base + "/robots")
    }
}

/// A rate limit for a service.
public struct CallLimit: Hashable, Sendable {
    /// The maximum number of calls in any minute.
    public let callsPerMinute: Int
    /// The maximum number of immediate calls after a time without calls.
    public let burst: Int

    /// The limit for the real App Store, which allows about 20 calls a minute.
    ///
    /// It allows five calls immediately, then one every four seconds.
    public static let appStore = CallLimit(callsPerMinute: 20, burst: 5)

    /// Creates a limit of at least one call a minute, with a burst below the calls per minute if possible.
    public init(callsPerMinute: Int, burst: Int = 1) {
        self.callsPerMinute = max(callsPerMinute, 1)
        self.burst = max(min(burst, self.callsPerMinute - 1), 1)
    }

    /// The time after which one more call is allowed.
    ///
    /// A burst and the calls in the following minute together do not exceed the calls per minute.
    var interval: Duration {
        .seconds(60) / max(callsPerMinute - burst, 1)
    }
}
