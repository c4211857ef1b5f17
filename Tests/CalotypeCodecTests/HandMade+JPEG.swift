// JPEGs (ITU-T T.81) of kinds that no encoder at hand makes.
extension HandMade {
    /// A baseline JPEG of `columns` blocks a row, each of 8 by 8 pixels of one colour.
    ///
    /// `blocks` are their colours from the top left, each with a sample for every component; `adobe` is the colour
    /// transform that an Adobe marker tells, `nil` for no marker.
    static func flatJPEG(_ blocks: [[Int]], columns: Int, adobe: UInt8? = nil) -> [UInt8] {
        let components = 1...UInt8(blocks.first?.count ?? 1)
        let size = big(blocks.count / columns * 8, 2) + big(columns * 8, 2)
        var jpeg: [UInt8] = [0xFF, 0xD8]
        if let adobe {
            jpeg += segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, adobe])
        }
        // Eight for all coefficients: that of a flat block is then its level.
        jpeg += segment(0xDB, [0] + [UInt8](repeating: 8, count: 64))
        jpeg += segment(
            0xC0,
            [8] + size + [UInt8(components.count)] + components.flatMap { [$0, 0x11, 0] }
        )
        // Nine lengths of differences, all coded in four bits; of the other coefficients only their end, in one bit.
        jpeg += segment(0xC4, [0x00, 0, 0, 0, 9] + [UInt8](repeating: 0, count: 12) + Array(0...8))
        jpeg += segment(0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0])
        jpeg += segment(0xDA, [UInt8(components.count)] + components.flatMap { [$0, 0] } + [0, 63, 0])
        return jpeg + coded(blocks) + [0xFF, 0xD9]
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + big(content.count + 2, 2) + content
    }

    private static func coded(_ blocks: [[Int]]) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ length: Int) {
            for bit in (0..<length).reversed() { bits.append(value >> bit & 1 == 1) }
        }
        var last = blocks.first?.map { _ in 128 } ?? []
        for block in blocks {
            for (component, level) in block.enumerated() {
                let difference = level - last[component]
                last[component] = level
                let length = Int.bitWidth - difference.magnitude.leadingZeroBitCount
                append(length, 4)
                append(difference < 0 ? difference + 1 << length - 1 : difference, length)
                append(0, 1)
            }
        }
        return packed(bits)
    }

    /// The bits in bytes, filled up with ones; a byte that looks like a marker is followed by a zero.
    private static func packed(_ bits: [Bool]) -> [UInt8] {
        stride(from: 0, to: bits.count, by: 8).flatMap { start -> [UInt8] in
            let byte = (0..<8).reduce(UInt8(0)) {
                $0 << 1 | (start + $1 < bits.count && !bits[start + $1] ? 0 : 1)
            }
            return byte == 0xFF ? [0xFF, 0] : [byte]
        }
    }
}
