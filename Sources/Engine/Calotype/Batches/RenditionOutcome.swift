public import CalotypeCore

/// What became of one request of a batch.
public struct RenditionOutcome<Key: Sendable>: Sendable {
    /// The request's place in the batch, from 0.
    public let index: Int
    /// The caller's name for the request; its place where the caller gave none.
    public let key: Key
    /// The request itself.
    public let request: ImageRequest
    /// The rendition, or why there is none.
    public let result: Result<Rendition, CalotypeError>
}
