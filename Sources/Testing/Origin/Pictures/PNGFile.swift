import CalotypeCore

/// PNG files with 8 bits of red, green, blue and alpha (ISO/IEC 15948).
enum PNGFile {
    /// The file of `bitmap`; small where neighbouring pixels and rows are alike.
    static func bytes(of bitmap: Bitmap) -> [UInt8] {
        let rows = filtered(bitmap)
        // 0x78 0x01: deflate with a window of 32 KiB, little effort spent (RFC 1950).
        let zlib = [0x78, 0x01] + Deflate.runs(rows, period: 4) + bigEndian(adler32(rows))
        return bytes(width: bitmap.size.width, height: bitmap.size.height, zlib: zlib)
    }

    /// The file of this size whose compressed rows are `zlib`.
    static func bytes(width: Int, height: Int, zlib: [UInt8]) -> [UInt8] {
        let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        let header = bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 6, 0, 0, 0]
        return signature + chunk("IHDR", header) + chunk("IDAT", zlib) + chunk("IEND", [])
    }

    /// Each row as its difference to the one above, with the filter's number 2 before it.
    private static func filtered(_ bitmap: Bitmap) -> [UInt8] {
        let stride = bitmap.size.width * 4
        var rows: [UInt8] = []
        rows.reserveCapacity((stride + 1) * bitmap.size.height)
        for start in Swift.stride(from: 0, to: bitmap.rgba.count, by: stride) {
            rows.append(2)
            for index in start..<start + stride {
                let above = index < stride ? 0 : bitmap.rgba[index - stride]
                rows.append(bitmap.rgba[index] &- above)
            }
        }
        return rows
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return bigEndian(UInt32(data.count)) + body + bigEndian(CRC32.of(body))
    }

    /// The checksum of zlib streams (RFC 1950, section 9).
    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in bytes {
            low = (low &+ UInt32(byte)) % 65_521
            high = (high &+ low) % 65_521
        }
        return high << 16 | low
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        value.littleEndianBytes.reversed()
    }
}

/// Deflate streams (RFC 1951) of one block with the fixed codes, in which only runs are compressed.
enum Deflate {
    /// The shortest length of each length code from 257 on; what lies between is told in extra bits.
    private static let lengths: [Int] = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163,
        195,
        227, 258,
    ]

    /// The stream for `count` zeros, at least one.
    static func zeros(count: Int) -> [UInt8] {
        var bits = Bits()
        begin(&bits)
        literal(0, &bits)
        for _ in 0..<(max(0, count - 1) / 258) { copy(258, from: 1, &bits) }
        for _ in 0..<(max(0, count - 1) % 258) { literal(0, &bits) }
        return ended(&bits)
    }

    /// The stream for `bytes`, in which what repeats after `period` bytes, 1 to 4, takes little room.
    static func runs(_ bytes: [UInt8], period: Int) -> [UInt8] {
        var bits = Bits()
        begin(&bits)
        var index = 0
        while index < bytes.count {
            let length = runLength(bytes, at: index, period)
            if length >= 3 {
                copy(length, from: period, &bits)
                index += length
            } else {
                literal(bytes[index], &bits)
                index += 1
            }
        }
        return ended(&bits)
    }

    /// How many bytes, 258 at most, are those of `period` places before.
    private static func runLength(_ bytes: [UInt8], at index: Int, _ period: Int) -> Int {
        guard index >= period else { return 0 }
        var end = index
        let limit = min(bytes.count, index + 258)
        while end < limit, bytes[end] == bytes[end - period] { end += 1 }
        return end - index
    }

    private static func begin(_ bits: inout Bits) {
        bits.append(0b011, 3)  // last block, fixed codes
    }

    private static func ended(_ bits: inout Bits) -> [UInt8] {
        symbol(256, &bits)
        return bits.finished()
    }

    private static func literal(_ byte: UInt8, _ bits: inout Bits) {
        symbol(UInt32(byte), &bits)
    }

    private static func copy(_ length: Int, from distance: Int, _ bits: inout Bits) {
        let code = (lengths.firstIndex { $0 > length } ?? lengths.count) - 1
        symbol(257 + UInt32(code), &bits)
        // From code 265 on, each group of four has one extra bit more; the last code has none.
        let extra = code < 8 || code == 28 ? 0 : UInt32(code / 4 - 1)
        bits.append(UInt32(length - lengths[code]), extra)
        bits.appendCode(UInt32(distance - 1), 5)
    }

    private static func symbol(_ value: UInt32, _ bits: inout Bits) {
        switch value {
        case ..<144: bits.appendCode(0x30 + value, 8)
        case ..<256: bits.appendCode(0x190 + value - 144, 9)
        case ..<280: bits.appendCode(value - 256, 7)
        default: bits.appendCode(0xc0 + value - 280, 8)
        }
    }

    private struct Bits {
        private var bytes: [UInt8] = []
        private var pending: UInt32 = 0
        private var count: UInt32 = 0

        /// Appends a number, its lowest bit first.
        mutating func append(_ value: UInt32, _ width: UInt32) {
            pending |= value << count
            count += width
            while count >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: pending))
                pending >>= 8
                count -= 8
            }
        }

        /// Appends a code, its highest bit first.
        mutating func appendCode(_ code: UInt32, _ width: UInt32) {
            var reversed: UInt32 = 0
            for bit in 0..<width { reversed |= (code >> bit & 1) << (width - 1 - bit) }
            append(reversed, width)
        }

        mutating func finished() -> [UInt8] {
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
