public import CalotypeCodec
public import CalotypeCore
import TaskFlow

/// Runs `body` with an origin.
///
/// Returns when all its connections are closed and its threads have ended.
///
/// - Parameters:
///   - configuration: the content, port, faults and limits of the origin.
///   - body: uses the origin, which serves until `body` returns or throws.
/// - Returns: what `body` returns.
/// - Throws: what `body` throws; `connect_failed` if the port cannot be bound; `thread_not_started`;
///   `CancellationError` if the task is cancelled before `body` begins.
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
                // The end of this scope cancels and awaits it, with all its connections.
                async let _: Void = server.run()
                return try await body(origin)
            }
        }
    }
}

/// Runs `body` with a reactor on a thread of its own.
///
/// Returns when the thread has ended.
func withReactor<Output>(_ body: (Reactor) async throws -> Output) async throws -> Output {
    let reactor = try Reactor()
    defer { reactor.close() }
    return try await withThreadExecutor(name: "origin", threads: 1) { executor in
        try await withTaskScope(ending: .drain) { scope in
            do {
                try scope.start(name: "origin reactor", executor: executor) { reactor.run() }
            } catch {
                // Only a cancelled caller ends the scope so early.
                throw CancellationError()
            }
            defer { reactor.end() }
            return try await body(reactor)
        }
    }
}

/// The content, port, faults and limits of an origin.
public struct OriginConfiguration: Sendable {
    /// The source of the pictures.
    public var pictures: any PictureServing
    /// The port on 127.0.0.1; 0, the default, lets the kernel choose.
    public var port = 0
    /// The faults for a share of the pictures and of the services' responses; none by default.
    public var faults = FaultPlan()
    /// The apps that a search can find; 320 by default.
    public var apps = AppStoreCollection()
    /// The maximum number of app searches and lookups in any minute; no limit by default.
    ///
    /// Further requests receive 403 with an empty body.
    public var apiLimit: Int?
    /// The text of `/robots.txt`; by default there is none.
    public var robots: String?
    /// The codec that encodes icons and screenshots as JPEG and WebP and scales pictures down.
    ///
    /// Without one, the default, the origin's drawings are PNG and the small pictures of albums are the large
    /// ones.
    public var codec: (any ImageCoding)?
    /// The `Cache-Control` of pictures and documents, such as `max-age=3600`.
    ///
    /// By default pictures have none, and drawings and search results have what real services send.
    public var cacheControl: String?
    /// The maximum number of received bytes in storage; 1 GiB by default.
    ///
    /// Beyond it, and beyond 256 files, the origin discards the bytes of the oldest complete files and
    /// remembers only their length and digest.
    public var receiveLimit = ByteCount.mebibytes(1024)
    /// The time from the last piece of an incomplete tus upload to its expiry; one day by default.
    public var uploadLifetime: Duration = .seconds(86_400)
    /// The maximum time to send a request head, or to pause reading a response; 30 s by default.
    public var idleLimit: Duration = .seconds(30)
    /// The maximum number of connections at a time, 4,096 by default.
    ///
    /// More are closed immediately.
    public var largestConnectionCount = 4096

    /// Creates the configuration of an origin that serves `pictures` on a port that the kernel chooses.
    public init(pictures: any PictureServing) {
        self.pictures = pictures
    }
}

/// A list of made-up apps as in an App Store.
///
/// Equal seeds give equal lists.
public struct AppStoreCollection: Hashable, Sendable {
    /// The number of apps.
    public let count: Int
    /// The seed of all random choices.
    public let seed: UInt64

    /// Creates the list, whose apps are generated on first use.
    ///
    /// - Parameters:
    ///   - count: the number of apps, 0 to 100,000; 320 by default.
    ///   - seed: equal seeds give equal apps.
    public init(count: Int = 320, seed: UInt64 = 1) {
        self.count = min(max(0, count), 100_000)
        self.seed = seed
    }
}
