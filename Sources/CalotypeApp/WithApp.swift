import Calotype
import CalotypeCatalog
public import CalotypeServer
import TaskFlow

/// Runs `body` with the web app above a thumbnail server, and returns when all that the app had begun has ended.
///
/// - Parameters:
///   - configuration: What the app may do.
///   - thumbnails: Makes and serves the pictures.
///   - body: Lets the app answer requests.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
public func withApp<Output>(
    _ configuration: AppConfiguration,
    _ thumbnails: ThumbnailServer,
    _ body: (AppServer) async throws -> Output
) async throws -> Output {
    let services = AppServices(
        configuration: configuration,
        pipeline: thumbnails.pipeline,
        catalog: Catalog(thumbnails.pipeline, CatalogConfiguration(services: configuration.services)),
        thumbnails: thumbnails,
        scope: TaskScope()
    )
    let app = AppServer(pages: AppPages(), api: API([]), thumbnails: thumbnails, draining: services.draining)
    let result: Result<Output, any Error>
    do { result = .success(try await body(app)) } catch { result = .failure(error) }
    await services.scope.end(.cancel)
    return try result.get()
}
