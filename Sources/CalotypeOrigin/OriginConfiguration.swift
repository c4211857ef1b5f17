/// What an origin serves and within which limits.
public struct OriginConfiguration: Sendable {
    /// Where the pictures come from.
    public var pictures: any PictureServing
    /// The port on 127.0.0.1; 0, the default, lets the kernel choose.
    public var port = 0
    /// What goes wrong with a share of the pictures and of what the services answer; nothing by default.
    public var faults = FaultPlan()
    /// What pictures say in `Cache-Control`, such as `max-age=3600`; nothing by default.
    public var cacheControl: String?
    /// How long a client may take over a request head, or not read what is sent to it; 30 s by default.
    public var idleLimit: Duration = .seconds(30)
    /// The most connections at a time, 4,096 by default; more are closed at once.
    public var largestConnectionCount = 4096

    /// Creates the configuration of an origin that serves `pictures` on a port of the kernel's choice.
    public init(pictures: any PictureServing) {
        self.pictures = pictures
    }
}
