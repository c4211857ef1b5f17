/// FNV-1a over 128 bits: the same on every machine and in every run, unlike `Hasher`.
///
/// Not for hostile input where a collision would matter: here it can only make a picture be skipped or made anew.
enum StableHash {
    static func hash(_ text: String) -> UInt128 {
        let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013B
        let basis: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
        return text.utf8.reduce(basis) { ($0 ^ UInt128($1)) &* prime }
    }

    static func hexadecimal(_ text: String) -> String {
        let digits = String(hash(text), radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
