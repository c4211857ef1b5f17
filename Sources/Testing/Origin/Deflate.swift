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
