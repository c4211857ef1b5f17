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
