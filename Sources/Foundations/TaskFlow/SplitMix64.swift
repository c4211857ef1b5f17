/// Random numbers derived from a seed.
///
/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    /// The increment of the state for each number.
    package static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    private var state: UInt64

    /// Creates a generator; equal seeds give equal numbers.
    package init(seed: UInt64) {
        state = seed
    }

    /// Returns the next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= Self.step
        return Self.bits(of: state)
    }

    /// Returns the number of a state, for callers that share the state.
    package static func bits(of state: UInt64) -> UInt64 {
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }
}
