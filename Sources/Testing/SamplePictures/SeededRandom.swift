import CalotypeCore
import CalotypePlatform
import TaskFlow

/// Random numbers derived from a seed.
///
/// Equal seeds give equal numbers on every machine.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var generator: SplitMix64

    /// Creates the sequence of `seed`.
    public init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
    }

    /// Creates the sequence of `text` under `seed`.
    public init(seed: UInt64, text: String) {
        self.init(seed: StableHash.hash64(text, seed: seed))
    }

    /// Returns the next 64 random bits.
    public mutating func next() -> UInt64 { generator.next() }

    /// Returns the next number from 0 up to but not including 1, evenly distributed.
    public mutating func unit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// Returns the next number in `range`, evenly distributed.
    package mutating func number(_ range: ClosedRange<Float>) -> Float {
        range.lowerBound + (range.upperBound - range.lowerBound) * Float(unit())
    }

    /// Returns the next whole number in `range`, evenly distributed.
    package mutating func whole(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// Returns one of `choices`, which must not be empty.
    package mutating func one<T>(of choices: [T]) -> T {
        choices[Int(next() % UInt64(choices.count))]
    }

    /// Returns `true` with this probability.
    package mutating func chance(_ probability: Float) -> Bool {
        Float(unit()) < probability
    }

}

/// Value noise: random heights on a lattice of integers, smoothly interpolated.
struct Noise: Sendable {
    private let seed: UInt32

    init(_ random: inout SeededRandom) {
        seed = UInt32(truncatingIfNeeded: random.next())
    }

    /// Returns the height at a point, 0 to 1, with features about 1 wide.
    func value(_ x: Float, _ y: Float) -> Float {
        let fx = x.rounded(.down)
        let fy = y.rounded(.down)
        let ix = Int32(truncatingIfNeeded: Int(fx))
        let iy = Int32(truncatingIfNeeded: Int(fy))
        let u = Self.smooth(x - fx)
        let v = Self.smooth(y - fy)
        let top = lattice(ix, iy) * (1 - u) + lattice(ix &+ 1, iy) * u
        let bottom = lattice(ix, iy &+ 1) * (1 - u) + lattice(ix &+ 1, iy &+ 1) * u
        return top * (1 - v) + bottom * v
    }

    /// Returns the sum of `octaves` noises, each half as wide and half as high as the one before; 0 to 1.
    func fractal(_ x: Float, _ y: Float, octaves: Int) -> Float {
        var sum: Float = 0
        var weight: Float = 0.5
        var scale: Float = 1
        for octave in 0..<octaves {
            let shift = Float(octave) * 17.3
            sum += weight * value(x * scale + shift, y * scale - shift)
            weight *= 0.5
            scale *= 2.03
        }
        return sum / (1 - 2 * weight)
    }

    /// Returns fractal noise folded into sharp crests, like mountains and waves; 0 to 1.
    func ridged(_ x: Float, _ y: Float, octaves: Int) -> Float {
        var sum: Float = 0
        var weight: Float = 0.5
        var scale: Float = 1
        for octave in 0..<octaves {
            let shift = Float(octave) * 9.7
            let fold = 1 - abs(2 * value(x * scale + shift, y * scale + shift) - 1)
            sum += weight * fold * fold
            weight *= 0.5
            scale *= 2.1
        }
        return sum / (1 - 2 * weight)
    }

    private func lattice(_ x: Int32, _ y: Int32) -> Float {
        var h = UInt32(bitPattern: x) &* 0x8da6_b343 ^ UInt32(bitPattern: y) &* 0xd816_3841 ^ seed
        h = (h ^ (h >> 15)) &* 0x2c1b_3c6d
        h = (h ^ (h >> 12)) &* 0x297a_2d39
        h ^= h >> 15
        return Float(h >> 8) * 0x1p-24
    }

    private static func smooth(_ t: Float) -> Float {
        t * t * (3 - 2 * t)
    }
}
