/// Hashes that are equal on every machine and in every run, unlike those of `Hasher`: FNV-1a.
///
/// Not for hostile input where a collision would matter.
package enum StableHash {
    /// The hash of a text, in 128 bits.
    package static func hash(_ text: String) -> UInt128 {
        let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013B
        let basis: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
        return text.utf8.reduce(basis) { ($0 ^ UInt128($1)) &* prime }
    }

    /// The hash of a text, as 32 hexadecimal digits.
    package static func hexadecimal(_ text: String) -> String {
        let digits = String(hash(text), radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// The hash of a text, in 64 bits.
    ///
    /// It depends on the seed.
    package static func hash64(_ text: String, seed: UInt64 = 0) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325 ^ seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
