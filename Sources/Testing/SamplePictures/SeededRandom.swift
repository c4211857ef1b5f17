/// Random numbers that are the same for the same seed everywhere.
///
/// The algorithm is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates the sequence that belongs to `seed`.
    public init(seed: UInt64) {
        state = seed
    }

    /// Creates the sequence that belongs to `text` under `seed`.
    public init(seed: UInt64, text: String) {
        // FNV-1a, so that the sequence does not change from process to process as `Hasher` would.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ seed
        for byte in text.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        self.init(seed: hash)
    }

    /// The next 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Self.mix(state)
    }

    /// The next number, evenly spread from 0 up to but not including 1.
    public mutating func unit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// The next number, evenly spread over `range`.
    package mutating func number(_ range: ClosedRange<Float>) -> Float {
        range.lowerBound + (range.upperBound - range.lowerBound) * Float(unit())
    }

    /// The next whole number, evenly spread over `range`.
    package mutating func whole(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// One of `choices`, which must not be empty.
    package mutating func one<T>(of choices: [T]) -> T {
        choices[Int(next() % UInt64(choices.count))]
    }

    /// Whether something happens that has this chance.
    package mutating func chance(_ probability: Float) -> Bool {
        Float(unit()) < probability
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
