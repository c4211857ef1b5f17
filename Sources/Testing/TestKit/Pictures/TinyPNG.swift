import CalotypeCore

/// A PNG of one colour (PNG specification, third edition), its data in stored blocks (RFC 1951, section 3.2.4).
enum TinyPNG {
    static func encoded(_ size: PixelSize, _ colour: TinyPicture.Colour) -> [UInt8] {
        let header = .big(size.width, 4) + .big(size.height, 4) + [8, 2, 0, 0, 0] as [UInt8]
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        return signature + chunk("IHDR", header) + chunk("IDAT", zlib(rows(size, colour))) + chunk("IEND", [])
    }

    /// The pixels; each row begins with the number of its filter, none.
    private static func rows(_ size: PixelSize, _ colour: TinyPicture.Colour) -> [UInt8] {
        var row: [UInt8] = [0]
        for _ in 0..<size.width { row += [colour.red, colour.green, colour.blue] }
        return [UInt8]((0..<size.height).map { _ in row }.joined())
    }

    private static func zlib(_ data: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        let runs = data.runs(of: 65_535)
        for (index, run) in runs.enumerated() {
            let isLast: UInt8 = index == runs.count - 1 ? 1 : 0
            stream += [isLast] + .little(run.count, 2) + .little(~run.count, 2) + run
        }
        return stream + adler32(data)
    }

    private static func adler32(_ data: [UInt8]) -> [UInt8] {
        var (low, high) = (1, 0)
        for byte in data {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return .big(high, 2) + .big(low, 2)
    }

    private static func chunk(_ kind: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(kind.utf8) + content
        return .big(content.count, 4) + body + .big(Int(crc32(body)), 4)
    }

    /// The remainder of each byte, so that larger pictures take no noticeable time.
    private static let remainders = (0..<256 as Range<UInt32>).map { byte in
        (0..<8).reduce(byte) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        let remainders = remainders
        var crc = UInt32.max
        for byte in bytes { crc = crc >> 8 ^ remainders[Int(crc & 0xFF) ^ Int(byte)] }
        return ~crc
    }
}
