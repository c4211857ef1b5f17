internal import CalotypeCCrypto

/// Comparison that tells an attacker nothing by the time it takes.
package enum ConstantTime {
    /// Whether both hold the same bytes; the time depends on their lengths only.
    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe one.withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in
                guard let first = one.baseAddress, let second = other.baseAddress else { return true }
                return unsafe CRYPTO_memcmp(first, second, one.count) == 0
            }
        }
    }
}
