import CalotypeCore

/// Reads the headers of Targa files (Truevision TGA File Format Specification, version 2.0).
struct TGAHeader {
    /// The meaning of a pixel.
    enum Kind: Int {
        case indexed = 1
        case colours = 2
        case grey = 3
    }

    let size: PixelSize
    let kind: Kind
    /// Whether runs of equal pixels are stored once.
    let isPacked: Bool
    /// The number of bits per pixel: 8, 15, 16, 24 or 32.
    let bits: Int
    /// The number of bits that the file says are alpha; some programs write 0 despite their alpha.
    let alphaBits: Int
    let isTopDown: Bool
    let isMirrored: Bool
    /// The palette: its offset, the number of its first colour, its number of colours and bits per colour.
    let palette: (start: Int, first: Int, count: Int, bits: Int)
    /// The offset of the first pixel.
    let pixels: Int

    private static let length = 18
    private static let colourBits = [15, 16, 24, 32]

    /// The bytes of a pixel.
    var pixelBytes: Int { (bits + 7) / 8 }
    /// The bytes of a colour in the palette.
    var paletteBytes: Int { (palette.bits + 7) / 8 }

    /// Whether there may be an alpha channel.
    var hasAlpha: Bool {
        switch kind {
        case .indexed: palette.bits == 32
        case .colours: bits == 32 || bits == 16 && alphaBits == 1
        case .grey: bits == 16
        }
    }

    /// Whether a Targa begins with `prefix`: there is no signature, so each field must make sense.
    static func begins(_ prefix: ArraySlice<UInt8>) -> Bool {
        var reader = ByteReader(Array(prefix.prefix(length)))
        return (try? TGAHeader(&reader)) != nil
    }

    static func facts(_ reader: inout ByteReader) throws(CodecError) -> ImageFacts {
        let header = try TGAHeader(&reader)
        return ImageFacts(
            format: .tga,
            storedSize: header.size,
            needsWholePicture: true,
            hasAlpha: header.hasAlpha
        )
    }

    /// Checks that all pixels are there; throws `outOfBytes` if the file is truncated.
    ///
    /// Runs show only in decoding where they end.
    static func check(_ reader: inout ByteReader) throws(CodecError) {
        let header = try TGAHeader(&reader)
        let length = header.isPacked ? 1 : header.size.pixelCount * header.pixelBytes
        guard length <= reader.count - header.pixels else { throw .outOfBytes }
    }

    init(_ reader: inout ByteReader) throws(CodecError) {
        let (hasPalette, type) = (try reader.byte(1), try reader.byte(2))
        guard hasPalette <= 1, let kind = Kind(rawValue: type & 7), [0, 8].contains(type & ~7) else {
            throw .corrupt("the TGA has pixels of an unknown kind")
        }
        self.kind = kind
        isPacked = type & 8 != 0
        let (first, count) = (try reader.little(3, 2), try reader.little(5, 2))
        let colour = try reader.byte(7)
        let isSensible =
            hasPalette == 1 ? count > 0 && Self.colourBits.contains(colour) : first + count + colour == 0
        guard isSensible, hasPalette == 1 || kind != .indexed else {
            throw .corrupt("the TGA has a palette that makes no sense")
        }
        palette = (Self.length + (try reader.byte(0)), first, count, colour)
        size = PixelSize(width: try reader.little(12, 2), height: try reader.little(14, 2))
        guard size.width > 0, size.height > 0 else { throw .corrupt("the TGA is \(size) pixels") }
        bits = try reader.byte(16)
        let wanted =
            switch kind {
            case .indexed: [8]
            case .colours: Self.colourBits
            case .grey: [8, 16]
            }
        guard wanted.contains(bits) else { throw .corrupt("the TGA has \(bits) bits per pixel") }
        let descriptor = try reader.byte(17)
        alphaBits = descriptor & 15
        guard descriptor & 0xC0 == 0, alphaBits <= 8 else { throw .corrupt("the TGA has an unknown layout") }
        isTopDown = descriptor & 0x20 != 0
        isMirrored = descriptor & 0x10 != 0
        pixels = palette.start + count * ((colour + 7) / 8)
    }
}
