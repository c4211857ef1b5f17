public import CalotypeCatalog
public import CalotypeHTTP
public import CalotypePublish

/// What the web app may do, and for whom.
public struct AppConfiguration: Sendable {
    /// What everybody has to know who uses the API; `nil`, the default, lets everybody use it who reaches the server.
    public var token: String?
    /// Whom the catalogue asks; the real services by default.
    public var services = CatalogServices.real
    /// Which addresses those services may have, any by default; what their answers name is bound by the server's own policy.
    public var catalogPolicy = AddressPolicy.any
    /// The servers that posts may be published to, by the names that the app shows; none by default.
    public var profiles: [String: PublishProfile] = [:]
    /// The folder in which the app keeps files that are to be published, posts and the journal; without one nothing is published.
    public var folder: String?
    /// The program's version, which the API tells.
    public var version = ""

    /// The clock of the app's waits.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Tells the time that posts and files are marked with.
    public var wallClock: @Sendable () -> WallTime = WallTime.now
    /// How much of what is to be published is kept.
    var fileLimits = FileShelf.Limits()

    /// Creates the default configuration.
    public init() {}
}
