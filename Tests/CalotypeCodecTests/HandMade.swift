/// Headers and files written byte by byte, for what no encoder makes.
enum HandMade {
    /// A number in `length` bytes, the most significant first.
    static func big(_ value: Int, _ length: Int) -> [UInt8] {
        (0..<length).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// An EXIF block with an orientation, as APP1, PNG and WebP hold it (after their own marks).
    static func exif(orientation: Int, offset: Int = 8) -> [UInt8] {
        Array("MM".utf8) + big(42, 2) + big(offset, 4) + big(1, 2) + big(0x0112, 2) + big(3, 2) + big(1, 4)
            + big(orientation, 2) + big(0, 2) + big(0, 4)
    }

    /// An EXIF block of one directory whose orientation is a number of `type`, which takes `length` bytes.
    static func exif(orientation: Int, type: Int, length: Int, isLittle: Bool, hasNext: Bool) -> [UInt8] {
        func number(_ value: Int, _ length: Int) -> [UInt8] {
            isLittle ? little(value, length) : big(value, length)
        }
        let value = number(orientation, length) + [UInt8](repeating: 0, count: 4 - length)
        return Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(1, 2)
            + number(0x0112, 2) + number(type, 2) + number(1, 4) + value + (hasNext ? number(0, 4) : [])
    }

    /// A JPEG with an EXIF block behind its frame header.
    static func jpeg(_ jpeg: [UInt8], exifBehindFrame block: [UInt8]) -> [UInt8] {
        var offset = 2
        while !(0xC0...0xC2).contains(jpeg[offset + 1]) {
            offset += 2 + Int(jpeg[offset + 2]) << 8 + Int(jpeg[offset + 3])
        }
        let end = offset + 2 + Int(jpeg[offset + 2]) << 8 + Int(jpeg[offset + 3])
        let segment = Array("Exif".utf8) + [0, 0] + block
        return jpeg[..<end] + [0xFF, 0xE1] + big(segment.count + 2, 2) + segment + jpeg[end...]
    }

    /// A JPEG with a segment inserted after its start marker.
    static func jpeg(_ jpeg: [UInt8], marker: UInt8, segment: [UInt8]) -> [UInt8] {
        Array(jpeg.prefix(2)) + [0xFF, marker] + big(segment.count + 2, 2) + segment
            + Array(jpeg.dropFirst(2))
    }

    /// A JPEG that has to be turned as `orientation` says.
    static func jpeg(_ jpeg: [UInt8], orientation: Int, offset: Int = 8) -> [UInt8] {
        let block = Array("Exif".utf8) + [0, 0] + exif(orientation: orientation, offset: offset)
        return Self.jpeg(jpeg, marker: 0xE1, segment: block)
    }

    /// A JPEG's start up to its frame header.
    static func jpegHead(width: Int, height: Int, frame: UInt8 = 0xC0) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, frame] + big(17, 2) + [8] + big(height, 2) + big(width, 2)
            + [3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]
    }

    /// A PNG's signature, header chunk and the beginning of its data chunk.
    static func pngHead(width: Int, height: Int, colour: UInt8 = 2, depth: UInt8 = 8) -> [UInt8] {
        let header = big(width, 4) + big(height, 4) + [depth, colour, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header) + big(10, 4)
            + Array("IDAT".utf8)
    }

    /// A PNG with a chunk inserted after its header chunk.
    static func png(_ png: [UInt8], inserting kind: String, _ content: [UInt8]) -> [UInt8] {
        Array(png.prefix(33)) + chunk(kind, content) + Array(png.dropFirst(33))
    }

    /// A WebP in the extended format with an EXIF chunk at its end.
    static func webp(_ webp: [UInt8], width: Int, height: Int, exif: [UInt8]) -> [UInt8] {
        let head: [UInt8] =
            Array("VP8X".utf8) + little(10, 4) + [0x08, 0, 0, 0] + little(width - 1, 3)
            + little(height - 1, 3)
        let padding: [UInt8] = exif.count % 2 == 1 ? [0] : []
        let body =
            Array("WEBP".utf8) + head + Array(webp.dropFirst(12)) + Array("EXIF".utf8)
            + little(exif.count, 4) + exif + padding
        return Array("RIFF".utf8) + little(body.count, 4) + body
    }

    /// A GIF of one-colour frames, each as large as the picture.
    static func gif(width: Int, height: Int, frames: Int) -> [UInt8] {
        var gif =
            Array("GIF89a".utf8) + little(width, 2) + little(height, 2) + [0x80, 0, 0, 255, 0, 0, 0, 0, 255]
        for _ in 0..<frames {
            gif += [0x21, 0xF9, 4, 0, 10, 0, 0, 0]
            gif += [0x2C] + little(0, 4) + little(width, 2) + little(height, 2) + [0]
            gif += clearCodes(pixels: width * height)
        }
        return gif + [0x3B]
    }

    /// A number in `length` bytes, the least significant first.
    static func little(_ value: Int, _ length: Int) -> [UInt8] {
        big(value, length).reversed()
    }

    /// The last chunk of a PNG.
    static let pngEnd = chunk("IEND", [])

    /// A grey PNG of two by one pixels, a dark one and a light one.
    static let greyPNG = png(width: 2, height: 1, colour: 0, depth: 8, samples: [100, 140])

    /// A PNG of `samples`, each of `depth` bits, 8 or 16; `colour` is the colour type of its header.
    static func png(width: Int, height: Int, colour: UInt8, depth: UInt8, samples: [Int]) -> [UInt8] {
        let perRow = samples.count / height
        var rows: [UInt8] = []
        for row in 0..<height {
            // Each row begins with its filter: none.
            rows.append(0)
            rows += samples[row * perRow..<(row + 1) * perRow].flatMap { big($0, Int(depth) / 8) }
        }
        let head = pngHead(width: width, height: height, colour: colour, depth: depth).prefix(33)
        return head + chunk("IDAT", stored(rows)) + pngEnd
    }

    /// A zlib stream (RFC 1950) of `bytes`, at most 65,535, without compression.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let (a, b) = bytes.reduce((1, 0)) {
            let sum = ($0.0 + Int($1)) % 65_521
            return (sum, ($0.1 + sum) % 65_521)
        }
        let length = little(bytes.count, 2)
        return [0x78, 0x01, 0x01] + length + length.map { ~$0 } + bytes + big(b, 2) + big(a, 2)
    }

    /// A chunk of a PNG.
    static func chunk(_ kind: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(kind.utf8) + content
        return big(content.count, 4) + body + big(Int(crc(body)), 4)
    }

    /// The check sum of PNG chunks (CRC-32 of ISO 3309).
    static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = .max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    /// GIF picture data of pixels of colour 0, with a clear code before each, so that codes stay three bits long.
    private static func clearCodes(pixels: Int) -> [UInt8] {
        var bits: [UInt8] = []
        for code in (0..<pixels).flatMap({ _ in [4, 0] }) + [5] {
            bits += (0..<3).map { UInt8(code >> $0 & 1) }
        }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: bits.count, by: 8) {
            bytes.append(bits[start..<min(start + 8, bits.count)].reversed().reduce(0) { $0 << 1 | $1 })
        }
        var parts: [UInt8] = [2]
        for start in stride(from: 0, to: bytes.count, by: 255) {
            let part = bytes[start..<min(start + 255, bytes.count)]
            parts += [UInt8(part.count)] + part
        }
        return parts + [0]
    }
}
