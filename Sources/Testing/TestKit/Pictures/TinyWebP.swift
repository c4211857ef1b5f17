import CalotypeCore

/// A lossless WebP of one colour (RFC 9649, section 3): each code has a single symbol, so that pixels take no bits at all.
enum TinyWebP {
    static func encoded(_ size: PixelSize, _ colour: TinyPicture.Colour) -> [UInt8] {
        precondition(
            max(size.width, size.height) <= 1 << 14,
            "WebP has at most 16,384 pixels a side, not \(size)"
        )
        let image = image(size, colour)
        let padding: [UInt8] = image.count % 2 == 1 ? [0] : []
        let chunk = Array("VP8L".utf8) + .little(image.count, 4) + image + padding
        return Array("RIFF".utf8) + .little(chunk.count + 4, 4) + Array("WEBP".utf8) + chunk
    }

    private static func image(_ size: PixelSize, _ colour: TinyPicture.Colour) -> [UInt8] {
        var bits = BitWriter(.lowestFirst)
        bits.write(0x2F, 8)
        bits.write(size.width - 1, 14)
        bits.write(size.height - 1, 14)
        // No alpha, version 0; then no transform, no colour cache, one group of codes.
        bits.write(0, 1 + 3 + 1 + 1 + 1)
        for symbol in [colour.green, colour.red, colour.blue, 255] {
            bits.write(0b101, 3)  // a simple code, one symbol, of eight bits
            bits.write(Int(symbol), 8)
        }
        bits.write(0b0001, 4)  // the code of distances: simple, one symbol, of one bit, 0
        return bits.bytes
    }
}
