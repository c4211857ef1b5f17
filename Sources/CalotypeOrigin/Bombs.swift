/// Small bodies that claim or unfold to something huge.
enum Bombs {
    /// A PNG of a few kilobytes whose header says 65,000 x 65,000 pixels; its data are zeros and end early.
    static let png: [UInt8] = {
        var header: [UInt8] = []
        for length in [65_000, 65_000] as [UInt32] { header += bigEndian(length) }
        header += [8, 6, 0, 0, 0]
        let zlib = [0x78, 0xda] + Deflate.zeros(count: 1 << 20)
        let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        return signature + chunk("IHDR", header) + chunk("IDAT", zlib) + chunk("IEND", [])
    }()

    /// A gzip stream of 1.6 MB that unfolds to 256 MiB of zeros.
    static let gzip: [UInt8] = {
        let count = 256 << 20
        let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
        let trailer = CRC32.ofZeros(count).littleEndianBytes + UInt32(count).littleEndianBytes
        return header + Deflate.zeros(count: count) + trailer
    }()

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return bigEndian(UInt32(data.count)) + body + bigEndian(CRC32.of(body))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        value.littleEndianBytes.reversed()
    }
}

/// Runs of zeros as a deflate stream (RFC 1951): a literal, then copies of 258 bytes from one byte before.
enum Deflate {
    /// The stream for `count` zeros, at least one.
    static func zeros(count: Int) -> [UInt8] {
        var bits = Bits()
        bits.append(0b011, 3)  // last block, fixed codes
        bits.append(0b0000_1100, 8)  // the literal 0: code 00110000, sent from its first bit
        for _ in 0..<(max(0, count - 1) / 258) {
            bits.append(0b1010_0011, 8)  // length 258: code 11000101
            bits.append(0, 5)  // distance 1
        }
        for _ in 0..<(max(0, count - 1) % 258) { bits.append(0b0000_1100, 8) }
        bits.append(0, 7)  // end of block
        return bits.finished()
    }

    private struct Bits {
        private var bytes: [UInt8] = []
        private var pending: UInt32 = 0
        private var count: UInt32 = 0

        mutating func append(_ value: UInt32, _ width: UInt32) {
            pending |= value << count
            count += width
            while count >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: pending))
                pending >>= 8
                count -= 8
            }
        }

        consuming func finished() -> [UInt8] {
            if count > 0 { bytes.append(UInt8(truncatingIfNeeded: pending)) }
            return bytes
        }
    }
}

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
