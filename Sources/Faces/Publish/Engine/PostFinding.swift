public import CalotypeHTTP

/// What a person found who looked at a server for a post whose answer was lost.
public enum PostFinding: Hashable, Sendable {
    /// The post is there; where it can be seen, if that is known.
    case published(at: WebURL?)
    /// The post is not there.
    case notPublished
}
