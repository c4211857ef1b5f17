public import CalotypeCore
public import CalotypeHTTP

/// What was read out of a document, and how long it may be taken without asking again.
public struct Document<Value: Sendable>: Sendable {
    /// What its reader made of it.
    public let value: Value
    /// How what was stored helped.
    public let cache: CacheUse
    /// The end of its freshness (RFC 9111); `nil` for what may not be kept at all.
    public let freshUntil: WallTime?
}

extension Document: Equatable where Value: Equatable {}
