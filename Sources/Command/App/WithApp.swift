import CalotypeServer
import TaskFlow

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
