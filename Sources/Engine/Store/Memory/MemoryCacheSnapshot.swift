public import CalotypeCore

/// What a memory cache holds, and how often it helped.
public struct MemoryCacheSnapshot: Hashable, Sendable {
    /// The number of entries.
    public var count: Int
    /// What the entries cost together.
    public var bytes: ByteCount
    /// The look-ups that found a value.
    public var hits: Int
    /// The look-ups that found none.
    public var misses: Int
}
