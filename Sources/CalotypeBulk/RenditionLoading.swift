public import Calotype
public import CalotypeCore

/// Makes renditions: the one thing that a list job wants from the pipeline below it.
public protocol RenditionLoading: Sendable {
    /// Loads, decodes and encodes what `request` asks for.
    ///
    /// - Throws: `LoadFailure` or `CalotypeError`; `CancellationError` soon after the task is cancelled.
    func load(_ request: ImageRequest) async throws -> Rendition
}

extension ImagePipeline: RenditionLoading {}
