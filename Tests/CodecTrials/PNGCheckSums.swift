/// The check sums of a PNG's chunks (PNG specification, annex D), without which most damage would go no further than them.
enum PNGCheckSums {
    private static let signatureBytes = 8
    /// Length, kind and check sum of a chunk.
    private static let frameBytes = 12
    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { crc, _ in crc & 1 == 1 ? 0xedb8_8320 ^ crc >> 1 : crc >> 1 }
    }

    /// Makes the check sums of all chunks fit what they hold, as far as the lengths make sense.
    static func mend(_ png: inout [UInt8]) {
        var offset = signatureBytes
        while offset + frameBytes <= png.count {
            let length = png[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            let end = offset + 8 + length
            guard end + 4 <= png.count else { return }
            let crc = ~png[offset + 4..<end].reduce(UInt32.max) { (crc: UInt32, byte: UInt8) -> UInt32 in
                let place = Int((crc ^ UInt32(byte)) & 255)
                return table[place] ^ crc >> 8
            }
            for place in 0..<4 { png[end + place] = UInt8(truncatingIfNeeded: crc >> UInt32(24 - 8 * place)) }
            offset = end + 4
        }
    }
}
