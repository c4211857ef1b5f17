import Calotype
import CalotypeCatalog
import CalotypeCore
import CalotypeServer
import TaskFlow

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
    func path(to url: String, _ type: PictureFit, side: Int) throws -> String {
        let path = try thumbnailPath(to: url, type, side: side)
        guard URLCredentials.removed(from: url) != url else { return path }
        return "/api/pictures/\(hiddenPaths.name(of: path))"
    }

    /// The path that the thumbnails answer; a password of `url` is in it.
    func thumbnailPath(to url: String, _ type: PictureFit, side: Int) throws -> String {
        let separator = thumbnails.argumentsSeparator
        let option = ["rs", type.rawValue, "\(side)", "\(side)"].joined(separator: separator)
        return try thumbnails.path(to: url, options: [option])
    }
}

/// How a picture is made to fit a square.
enum PictureFit: String, Sendable {
    /// All of it is seen.
    case fit
    /// All of the square is filled.
    case fill
}
