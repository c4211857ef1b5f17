public import CalotypeCodec
public import CalotypeCore

/// What an origin serves and within which limits.
public struct OriginConfiguration: Sendable {
    /// Where the pictures come from.
    public var pictures: any PictureServing
    /// The port on 127.0.0.1; 0, the default, lets the kernel choose.
    public var port = 0
    /// What goes wrong with a share of the pictures and of what the services answer; nothing by default.
    public var faults = FaultPlan()
    /// The apps that a search finds; 320 by default.
    public var apps = AppCollection()
    /// The most searches and look-ups for apps that are answered in any minute, any number by default; more are answered
    /// 403 with an empty body.
    public var apiLimit: Int?
    /// Encodes icons and screenshots as JPEG and WebP and makes pictures smaller; without one, the default, what the
    /// origin draws is PNG, and the small pictures of albums are the large ones.
    public var codec: (any ImageCoding)?
    /// What pictures and documents say in `Cache-Control`, such as `max-age=3600`; by default pictures say nothing, and
    /// what is drawn and found says what such services say.
    public var cacheControl: String?
    /// The most bytes of what is received that are kept, 1 GiB by default; beyond them, and beyond 256 files, the oldest
    /// complete ones keep only their length and digest.
    public var receiveLimit = ByteCount.mebibytes(1024)
    /// How long an upload to the tus endpoint that is not complete is kept after its last piece; one day by default.
    public var uploadLifetime: Duration = .seconds(86_400)
    /// How long a client may take over a request head, or not read what is sent to it; 30 s by default.
    public var idleLimit: Duration = .seconds(30)
    /// The most connections at a time, 4,096 by default; more are closed at once.
    public var largestConnectionCount = 4096

    /// Creates the configuration of an origin that serves `pictures` on a port of the kernel's choice.
    public init(pictures: any PictureServing) {
        self.pictures = pictures
    }
}
