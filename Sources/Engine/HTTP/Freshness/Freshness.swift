/// Whether a kept answer may be given (RFC 9111, section 4).
package enum Freshness: Hashable, Sendable {
    /// It may be given without asking the origin, up to that moment.
    case fresh(until: WallTime)
    /// It is to be asked for anew. Until the new answer is there it may be given with `whileRevalidate`; with `ifError`
    /// it may be given in the place of an error: where the network failed or the origin answered 500 to 599.
    case stale(whileRevalidate: Bool, ifError: Bool)
    /// It may be given only after the origin said that it has not changed.
    case mustRevalidate
    /// It answers a request with other header fields, and must not be given: ask for the picture as if nothing were
    /// kept.
    case otherVariant
}
