public import Calotype
public import CalotypeCore

/// Makes renditions: the one thing that a list job wants from the pipeline below it.
public protocol RenditionLoading: Sendable {
    /// Loads, decodes and encodes what `request` asks for.
    ///
    /// - Throws: `LoadFailure` or `CalotypeError`; `CancellationError` soon after the task is cancelled.
    func load(_ request: ImageRequest) async throws -> Rendition

    /// How many entries were given to a lasting store so far; zero without one.
    var storedCount: Int { get }
}

extension RenditionLoading {
    /// Stores nothing.
    public var storedCount: Int { 0 }
}

extension ImagePipeline: RenditionLoading {}
