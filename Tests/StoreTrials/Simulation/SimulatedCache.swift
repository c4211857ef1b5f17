/// A cache without values: what matters is which requests it would have answered.
package protocol SimulatedCache {
    /// Asks for an object of `bytes` bytes, which is stored when it was not there; `true` for a hit.
    mutating func request(_ key: UInt64, bytes: Int) -> Bool
}
