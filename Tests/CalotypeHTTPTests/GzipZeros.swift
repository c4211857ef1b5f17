/// Gzip data made by hand: zeros, a thousandth of their size.
enum GzipZeros {
    /// The zeros of one block.
    static let blockBytes = 1 + 258 * 1024

    /// Two blocks.
    static let file = bytes(blocks: 2)

    /// A gzip file of `blocks` deflate blocks (RFC 1951 with fixed codes), each one literal zero and 1,024 matches of 258 bytes at
    /// distance 1.
    private static func bytes(blocks: Int) -> [UInt8] {
        var bits = BitWriter()
        for block in 0..<blocks {
            bits.write(block == blocks - 1 ? 1 : 0, count: 1)
            bits.write(1, count: 2)
            bits.writeReversed(0x30, count: 8)
            for _ in 0..<1024 {
                bits.writeReversed(0b1100_0101, count: 8)
                bits.writeReversed(0, count: 5)
            }
            bits.writeReversed(0, count: 7)
        }
        let length = UInt32(truncatingIfNeeded: blocks * blockBytes)
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + bits.finished()
            + littleEndian(crcOfZeros(count: blocks * blockBytes)) + littleEndian(length)
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func crcOfZeros(count: Int) -> UInt32 {
        var step = [UInt32](repeating: 0, count: 256)
        for index in 0..<256 {
            step[index] = (0..<8).reduce(UInt32(index)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
            }
        }
        return ~(0..<count).reduce(UInt32.max) { crc, _ in step[Int(crc & 0xFF)] ^ crc >> 8 }
    }
}

private struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending: UInt32 = 0
    private var count = 0

    mutating func write(_ value: UInt32, count added: Int) {
        pending |= value << UInt32(count)
        count += added
        while count >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            count -= 8
        }
    }

    /// Huffman codes are packed from their first bit on.
    mutating func writeReversed(_ value: UInt32, count: Int) {
        for bit in (0..<count).reversed() { write(value >> UInt32(bit) & 1, count: 1) }
    }

    func finished() -> [UInt8] {
        count > 0 ? bytes + [UInt8(truncatingIfNeeded: pending)] : bytes
    }
}
