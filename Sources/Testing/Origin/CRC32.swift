/// The checksum of PNG and gzip (RFC 1952, section 8).
enum CRC32 {
    private static let polynomial: UInt32 = 0xedb8_8320

    static func of(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in timesX(value) }
        }
    }

    /// The checksum of `count` zeros: the start value times x to the power of 8 `count`, by squaring.
    static func ofZeros(_ count: Int) -> UInt32 {
        var power: UInt32 = 1 << 30  // x
        var product: UInt32 = 1 << 31  // 1
        var exponent = count * 8
        while exponent > 0 {
            if exponent & 1 == 1 { product = times(product, power) }
            power = times(power, power)
            exponent >>= 1
        }
        return ~times(~0, product)
    }

    /// The product of two polynomials over GF(2), modulo the checksum's; bit 31 is the coefficient of 1.
    private static func times(_ a: UInt32, _ b: UInt32) -> UInt32 {
        var product: UInt32 = 0
        var shifted = b
        for bit in 0..<32 {
            if a & (1 << (31 - UInt32(bit))) != 0 { product ^= shifted }
            shifted = timesX(shifted)
        }
        return product
    }

    private static func timesX(_ value: UInt32) -> UInt32 {
        value & 1 == 1 ? value >> 1 ^ polynomial : value >> 1
    }
}

extension UInt32 {
    var littleEndianBytes: [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: self >> (8 * UInt32($0))) }
    }
}
