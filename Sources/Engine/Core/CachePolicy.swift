/// How a request treats what is stored already.
///
/// What is stored has a time for which it may be taken (RFC 9111), which the origin tells or which is estimated.
public enum CachePolicy: Hashable, Sendable {
    /// Takes what is stored and fresh, asks the origin whether the rest is still right, and stores what was made.
    case use
    /// Takes what is stored whatever its age: the picture at this URL never changes.
    case immutable
    /// Loads it anew, and stores it in the place of what is there.
    case reload
    /// Takes what is stored, also when it is stale, and asks nobody else; `not_cached` where there is nothing or the
    /// origin forbids to take it unasked.
    case cacheOnly
    /// Neither takes nor stores.
    case noStore

    /// Whether what is stored may be taken.
    public var reads: Bool { self != .reload && self != .noStore }
    /// Whether what was made is stored.
    public var writes: Bool { self != .cacheOnly && self != .noStore }
}
