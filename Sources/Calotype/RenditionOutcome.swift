public import CalotypeCore

/// What became of one request of a batch.
public struct RenditionOutcome: Sendable {
    /// The request's place in the batch, from 0.
    public let index: Int
    /// The request itself.
    public let request: ImageRequest
    /// The rendition, or why there is none.
    public let result: Result<Rendition, CalotypeError>
}
