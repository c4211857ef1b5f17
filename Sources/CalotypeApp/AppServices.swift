import Calotype
import CalotypeCatalog
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
}
