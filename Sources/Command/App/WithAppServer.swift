import Calotype
import CalotypeCatalog
import CalotypeCore
public import CalotypeServer
public import TaskFlow

/// Runs `body` with a thumbnail server that serves the web app too, and returns when all of its connections, tasks, threads and
/// files are closed.
///
/// - Parameters:
///   - configuration: What the app may do.
///   - server: What the server serves, and within which limits.
///   - trace: Takes the spans of its work, if somebody wants them.
///   - body: Uses it; it answers until `body` returns or throws.
/// - Returns: What `body` returns.
/// - Throws: As `withThumbnailServer`, and `DigestError` where libcrypto fails.
public func withAppServer<Output>(
    _ configuration: AppConfiguration,
    on server: ServerConfiguration,
    recordingTo trace: TraceRecorder? = nil,
    _ body: (RunningServer) async throws -> Output
) async throws -> Output {
    // The timeline needs the spans of every load, but nobody has to keep them.
    let recorder = trace ?? TraceRecorder(limit: 0)
    let timeline = Timeline(recorder)
    var server = server
    let observer = server.pipeline.observer
    server.pipeline.observer = { event in
        timeline.note(event)
        observer?(event)
    }
    server.pipeline.trace = recorder
    return try await withThumbnailResponder(server, recordingTo: trace) { thumbnails in
        try await withApp(configuration, thumbnails, timeline) { app in
            try await thumbnails.withListener(answering: app, body)
        }
    }
}

/// Runs `body` with the web app above a thumbnail server, and returns when all that the app had begun has ended.
///
/// - Parameters:
///   - configuration: What the app may do.
///   - thumbnails: Makes and serves the pictures.
///   - timeline: Knows what the server's pipeline does.
///   - body: Lets the app answer requests.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws; `DigestError` where libcrypto fails; `storage_failed` where the app's folder
///   cannot be used, also because another server does.
func withApp<Output>(
    _ configuration: AppConfiguration,
    _ thumbnails: ThumbnailServer,
    _ timeline: Timeline = Timeline(TraceRecorder(limit: 0)),
    _ body: (AppServer) async throws -> Output
) async throws -> Output {
    let services = AppServices(configuration, thumbnails)
    let entrance = try AppGuard(
        token: configuration.token,
        bindHost: thumbnails.bindHost,
        key: (0..<32).map { _ in UInt8.random(in: .min ... .max) },
        clock: configuration.clock
    )
    let pages = try AppPages()
    return try await withPublishing(services) { publishing in
        let routes =
            SessionRoutes(configuration: configuration, entrance: entrance).routes
            + DescriptionRoutes(pages: pages).routes
            + CatalogRoutes(services: services).routes
            + WallRoutes(services: services).routes
            + PictureRoutes(services: services).routes
            + PublishRoutes(services: services, publishing: publishing).routes
            + TimelineRoutes(services: services, timeline: timeline).routes
        let app = AppServer(
            pages: pages,
            api: API(routes),
            entrance: entrance,
            thumbnails: thumbnails,
            timeline: timeline,
            draining: services.draining
        )
        return try await body(app)
    }
}

/// What the parts of the API work with.
struct AppServices: Sendable {
    let configuration: AppConfiguration
    let pipeline: ImagePipeline
    let catalog: Catalog
    let thumbnails: ThumbnailServer
    /// Owns what outlives a request; cancelled and awaited when the app's scope ends.
    let scope: TaskScope
    /// Set when the server takes no more requests.
    let draining = Latch<Void>()
    let hiddenPaths = HiddenPaths()

    init(_ configuration: AppConfiguration, _ thumbnails: ThumbnailServer) {
        self.configuration = configuration
        self.thumbnails = thumbnails
        pipeline = thumbnails.pipeline
        var catalog = CatalogConfiguration(services: configuration.services)
        catalog.addressPolicy = configuration.catalogPolicy
        self.catalog = Catalog(pipeline, catalog)
        scope = TaskScope()
    }

    /// The path on this server of the picture at `url`, made so large that it fits `side` pixels each way, or fills them, as pages
    /// may see it: no password is in it.
    func path(to url: String, _ type: ScalingMode, side: Int) throws -> String {
        let path = try thumbnailPath(to: url, type, side: side)
        guard URLCredentials.removed(from: url) != url else { return path }
        return "/api/pictures/\(hiddenPaths.name(of: path))"
    }

    /// The path that the thumbnails answer; a password of `url` is in it.
    func thumbnailPath(to url: String, _ type: ScalingMode, side: Int) throws -> String {
        let separator = thumbnails.argumentsSeparator
        let option = ["rs", type.rawValue, "\(side)", "\(side)"].joined(separator: separator)
        return try thumbnails.path(to: url, options: [option])
    }
}

/// How a picture is made to fit a square.
enum ScalingMode: String, Sendable {
    /// All of it is seen.
    case fit
    /// All of the square is filled.
    case fill
}
