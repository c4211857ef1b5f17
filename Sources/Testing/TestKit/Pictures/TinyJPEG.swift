import CalotypeCore

/// A baseline JPEG of one colour (ITU-T T.81): the first block of each component tells the colour, all others tell nothing.
enum TinyJPEG {
    static func encoded(_ size: PixelSize, _ colour: TinyPicture.Colour) -> [UInt8] {
        let frame =
            [8] + .big(size.height, 2) + .big(size.width, 2) + [3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]
            as [UInt8]
        let scan: [UInt8] = [3, 1, 0, 2, 0, 3, 0, 0, 63, 0]
        let head =
            segment(0xE0, Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0])
            + segment(0xDB, [0] + [UInt8](repeating: quantum, count: 64)) + segment(0xC0, frame)
            + segment(0xC4, [0x00] + directCodes) + segment(0xC4, [0x10] + alternatingCodes)
        return [0xFF, 0xD8] + head + segment(0xDA, scan) + blocks(size, colour) + [0xFF, 0xD9]
    }

    /// A step of eight makes the first coefficient of a block its mean less 128.
    private static let quantum: UInt8 = 8
    /// The code `0` for no difference, `10000` to `10111` for differences of one to eight bits.
    private static let directCodes: [UInt8] =
        [1, 0, 0, 0, 8] + [UInt8](repeating: 0, count: 11) + Array(0...8)
    /// The one code `0`: the end of the block.
    private static let alternatingCodes: [UInt8] = [1] + [UInt8](repeating: 0, count: 15) + [0]

    private static func blocks(_ size: PixelSize, _ colour: TinyPicture.Colour) -> [UInt8] {
        var bits = BitWriter(.highestFirst)
        for level in levels(colour) { writeFirst(level, &bits) }
        // Each further unit: no difference and the end of the block, for three components.
        for _ in 1..<units(size) { bits.write(0, 6) }
        bits.fill(with: 1)
        // A byte of all ones would be taken for a marker.
        return bits.bytes.flatMap { $0 == 0xFF ? [0xFF, 0] : [$0] }
    }

    private static func units(_ size: PixelSize) -> Int {
        max((size.width + 7) / 8 * ((size.height + 7) / 8), 1)
    }

    /// Writes a block that is `level` all over.
    private static func writeFirst(_ level: Int, _ bits: inout BitWriter) {
        let length = Int.bitWidth - level.magnitude.leadingZeroBitCount
        if length == 0 { bits.write(0, 1) } else { bits.write(0b1_0000 + length - 1, 5) }
        bits.write(level < 0 ? level + (1 << length) - 1 : level, length)
        bits.write(0, 1)
    }

    /// Luma and the two chroma differences less their middle (ITU-T T.871).
    private static func levels(_ colour: TinyPicture.Colour) -> [Int] {
        let (red, green, blue) = (Double(colour.red), Double(colour.green), Double(colour.blue))
        let luma = 0.299 * red + 0.587 * green + 0.114 * blue
        return [luma - 128, (blue - luma) / 1.772, (red - luma) / 1.402].map { level in
            max(-128, min(127, Int(level.rounded())))
        }
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + .big(content.count + 2, 2) + content
    }
}
