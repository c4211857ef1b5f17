/// How a request treats what is stored already.
public enum CachePolicy: Hashable, Sendable {
    /// Takes what is stored, and stores what was made.
    case use
    /// Makes it anew, and stores it in the place of what is there.
    case reload
    /// Takes what is stored and asks nobody else; `not_cached` where there is nothing.
    case cacheOnly
    /// Neither takes nor stores.
    case noStore

    /// Whether what is stored may be taken.
    public var reads: Bool { self == .use || self == .cacheOnly }
    /// Whether what was made is stored.
    public var writes: Bool { self == .use || self == .reload }
}
