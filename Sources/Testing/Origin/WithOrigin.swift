public import CalotypeCodec
public import CalotypeCore
import TaskFlow

/// Runs `body` with an origin, and returns when all its connections are closed and its threads have ended.
///
/// - Parameters:
///   - configuration: what is served, where and within which limits.
///   - body: uses the origin; it answers until `body` returns or throws.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws; `connect_failed` when the port cannot be bound; `ThreadStartError`;
///   `CancellationError` when the task is cancelled before `body` begins.
public func withOrigin<Output>(
    _ configuration: OriginConfiguration,
    _ body: (Origin) async throws -> Output
) async throws -> Output {
    let listener = try Listener(port: configuration.port)
    defer { listener.close() }
    return try await withThreadExecutor(name: "origin drawing", threads: 2) { drawing in
        try await withThreadExecutor(name: "origin files", threads: 2) { storing in
            try await withReactor { reactor in
                let address = "http://127.0.0.1:\(listener.port)"
                let site = Site(configuration, address, drawing: drawing, storing: storing)
                let origin = Origin(port: listener.port, site: site)
                let server = OriginServer(
                    listener: listener,
                    reactor: reactor,
                    site: site,
                    configuration: configuration
                )
                // Cancelled and awaited when this scope is left, with all its connections.
                async let _: Void = server.run()
                return try await body(origin)
            }
        }
    }
}

/// Runs `body` with a reactor on a thread of its own, and returns when the thread has ended.
func withReactor<Output>(_ body: (Reactor) async throws -> Output) async throws -> Output {
    let reactor = try Reactor()
    defer { reactor.close() }
    return try await withThreadExecutor(name: "origin", threads: 1) { executor in
        try await withTaskScope(ending: .drain) { scope in
            do {
                try scope.start(name: "origin reactor", executor: executor) { reactor.run() }
            } catch {
                // Nothing but a cancelled caller ends the scope so early.
                throw CancellationError()
            }
            defer { reactor.end() }
            return try await body(reactor)
        }
    }
}

/// What an origin serves and within which limits.
public struct OriginConfiguration: Sendable {
    /// Where the pictures come from.
    public var pictures: any PictureServing
    /// The port on 127.0.0.1; 0, the default, lets the kernel choose.
    public var port = 0
    /// What goes wrong with a share of the pictures and of what the services answer; nothing by default.
    public var faults = FaultPlan()
    /// The apps that a search finds; 320 by default.
    public var apps = AppStoreCollection()
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

/// A list of apps as an App Store has them: made up, the same for the same seed.
public struct AppStoreCollection: Hashable, Sendable {
    /// How many apps there are.
    public let count: Int
    /// What all random choices are made from.
    public let seed: UInt64

    /// Creates the list; nothing is made until it is asked for.
    ///
    /// - Parameters:
    ///   - count: how many apps, 0 to 100,000; 320 by default.
    ///   - seed: the same seed gives the same apps.
    public init(count: Int = 320, seed: UInt64 = 1) {
        self.count = min(max(0, count), 100_000)
        self.seed = seed
    }
}
