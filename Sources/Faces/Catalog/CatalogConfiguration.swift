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
