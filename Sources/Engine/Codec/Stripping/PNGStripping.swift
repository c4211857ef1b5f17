/// Takes metadata out of PNG files (third edition of the specification), chunk by chunk.
enum PNGStripping {
    /// The chunks that are, or change, what the picture looks like.
    private static let kept: Set = [
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "acTL", "fcTL", "fdAT", "gAMA", "cHRM", "sRGB", "cICP",
        "mDCV", "cLLI",
        "sBIT", "bKGD", "pHYs",
    ]

    /// The file without its other chunks, and without what follows its end; `nil` where it is not built as it should be.
    static func stripped(_ file: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(file)
        return try? picture(file, &reader)
    }

    /// The profile in the chunk that has one; empty if no chunk has.
    static func profile(_ reader: inout ByteReader) throws -> [UInt8] {
        let colour = PNGPixels.Colour(rawValue: try reader.byte(25)) ?? .rgb
        var offset = 8
        while case let kind = try reader.code(offset + 4), kind != "IDAT" {
            let length = try reader.big(offset, 4)
            if kind == "iCCP" {
                return try PNGProfile.inflated(reader.bytes(offset + 8, length), for: colour)
            }
            offset += 12 + length
        }
        return []
    }

    private static func picture(_ file: [UInt8], _ reader: inout ByteReader) throws(HeaderFault) -> [UInt8] {
        var picture = Array(file.prefix(8))
        picture.reserveCapacity(file.count)
        var offset = 8
        while true {
            let end = offset + 12 + (try reader.big(offset, 4))
            let kind = try reader.code(offset + 4)
            guard end <= file.count else { throw .outOfBytes }
            if kept.contains(kind) {
                picture += file[offset..<end]
            } else if file[offset + 4] & 32 == 0 {
                // Without a chunk whose name begins with a capital letter nothing can be decoded.
                throw .corrupt("the PNG has a chunk of unknown type \(kind.debugDescription)")
            }
            if kind == "IEND" { return picture }
            offset = end
        }
    }
}
