import Calotype
import CalotypeCatalog
import CalotypeCore
public import CalotypeServer
public import TaskFlow

/// Runs `body` with a thumbnail server that also serves the web app.
///
/// Returns when all of its connections, tasks, threads and files are closed.
///
/// - Parameters:
///   - configuration: The app's configuration.
///   - server: The server's configuration.
///   - trace: Receives the trace spans, if given.
///   - body: Uses the server, which responds until `body` returns or throws.
/// - Returns: The result of `body`.
/// - Throws: Errors of `withThumbnailServer`; `DigestError` if libcrypto fails.
public func withAppServer<Output>(
    _ configuration: AppConfiguration,
    on server: ServerConfiguration,
    recordingTo trace: TraceRecorder? = nil,
    _ body: (RunningServer) async throws -> Output
) async throws -> Output {
    // The timeline needs the spans of every load, but they need not be stored.
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

/// Runs `body` with the web app in front of a thumbnail server.
///
/// Returns when all work of the app has ended.
///
/// - Parameters:
///   - configuration: The app's configuration.
///   - thumbnails: The thumbnail server.
///   - timeline: Records the work of the server's pipeline.
///   - body: Lets the app respond to requests.
/// - Returns: The result of `body`.
/// - Throws: Errors of `body`; `DigestError` if libcrypto fails; `storage_failed` if the app's folder cannot
///   be used, for example because another server uses it.
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
            + LabRoutes(services: services, timeline: timeline).routes
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

/// The services for the parts of the API.
struct AppServices: Sendable {
    let configuration: AppConfiguration
    let pipeline: ImagePipeline
    let catalog: Catalog
    let thumbnails: ThumbnailServer
    /// Owns the work that outlives a request; cancelled and awaited when the app's scope ends.
    let scope: TaskScope
    /// Opens when the server accepts no more requests.
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

    /// Returns the path on this server of the image at `url`, scaled to `side`.
    ///
    /// Pages can see the path; it never contains a password.
    func path(
        to url: String,
        _ type: ScalingMode,
        side: Int,
        as output: ImageOutput = ImageOutput()
    ) throws -> String {
        let path = try thumbnailPath(to: url, type, side: side, as: output)
        guard URLCredentials.removed(from: url) != url else { return path }
        return "/api/pictures/\(hiddenPaths.name(of: path))"
    }

    /// Returns the thumbnail server's path, which contains a password if `url` does.
    func thumbnailPath(
        to url: String,
        _ type: ScalingMode,
        side: Int,
        as output: ImageOutput
    ) throws -> String {
        var options = [["rs", type.rawValue, "\(side)", "\(side)"]]
        if let quality = output.quality { options.append(["q", "\(quality)"]) }
        let separator = thumbnails.argumentsSeparator
        return try thumbnails.path(
            to: url,
            options: options.map { $0.joined(separator: separator) },
            format: output.format?.fileExtension
        )
    }
}

/// The format and quality of an image; the server chooses what is `nil`.
struct ImageOutput: Hashable, Sendable {
    var format: ImageFormat?
    /// 1 to 100, for formats that have a quality.
    var quality: Int?
}

/// How an image is scaled to a square.
enum ScalingMode: String, Sendable {
    /// The whole image fits into the square.
    case fit
    /// The image fills the square.
    case fill
}
