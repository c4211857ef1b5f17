public import CalotypeCore

/// Complete encoded pictures of one colour, made without any library.
///
/// They serve as source bytes for tests at no cost. Each is a valid file of its format that every decoder
/// reads. For pictures with content see ``DrawnPicture``.
public enum TinyPicture: Sendable {
    /// A red, a green and a blue component of 0 to 255.
    public struct Colour: Hashable, Sendable {
        /// The components.
        public let red, green, blue: UInt8

        /// Creates a colour.
        public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }

        /// A warm orange.
        public static let orange = Colour(222, 128, 40)
    }

    /// Returns a picture in a supported format: JPEG, PNG, WebP or GIF.
    ///
    /// `nil` for any other format.
    public static func encoded(
        as format: ImageFormat,
        size: PixelSize = PixelSize(width: 1, height: 1),
        colour: Colour = .orange
    ) -> [UInt8]? {
        switch format {
        case .jpeg: jpeg(size, colour)
        case .png: png(size, colour)
        case .webp: webp(size, colour)
        case .gif: gif(size, colour)
        case .avif, .heic, .tiff, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom: nil
        }
    }

    /// A PNG of eight-bit RGB, 72 bytes for one pixel; larger ones are not compressed.
    public static func png(
        _ size: PixelSize = PixelSize(width: 1, height: 1),
        _ colour: Colour = .orange
    ) -> [UInt8] {
        TinyPNG.encoded(size, colour)
    }

    /// A baseline JPEG without subsampling; six bits for every eight by eight pixels.
    public static func jpeg(
        _ size: PixelSize = PixelSize(width: 1, height: 1),
        _ colour: Colour = .orange
    ) -> [UInt8] {
        TinyJPEG.encoded(size, colour)
    }

    /// A lossless WebP of at most 16,384 pixels a side; a few dozen bytes, whatever its size.
    public static func webp(
        _ size: PixelSize = PixelSize(width: 1, height: 1),
        _ colour: Colour = .orange
    ) -> [UInt8] {
        TinyWebP.encoded(size, colour)
    }

    /// A GIF of one frame; at least half a byte per pixel.
    public static func gif(
        _ size: PixelSize = PixelSize(width: 1, height: 1),
        _ colour: Colour = .orange
    ) -> [UInt8] {
        TinyGIF.encoded(size, colour)
    }
}

/// A PNG of one colour, its data in stored blocks.
///
/// Format: PNG specification, third edition; RFC 1951, section 3.2.4.
enum TinyPNG {
    static func encoded(_ size: PixelSize, _ colour: TinyPicture.Colour) -> [UInt8] {
        let header = .big(size.width, 4) + .big(size.height, 4) + [8, 2, 0, 0, 0] as [UInt8]
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        return signature + chunk("IHDR", header) + chunk("IDAT", zlib(rows(size, colour))) + chunk("IEND", [])
    }

    /// The pixels; each row begins with the number of its filter: none.
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

/// A baseline JPEG of one colour (ITU-T T.81).
///
/// The first block of each component sets the colour, the others repeat it.
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

    /// The quantisation step: with eight, the first coefficient of a block is its mean minus 128.
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
        // A byte of all ones would be read as a marker.
        return bits.bytes.flatMap { $0 == 0xFF ? [0xFF, 0] : [$0] }
    }

    private static func units(_ size: PixelSize) -> Int {
        max((size.width + 7) / 8 * ((size.height + 7) / 8), 1)
    }

    /// Writes a block of uniform `level`.
    private static func writeFirst(_ level: Int, _ bits: inout BitWriter) {
        let length = Int.bitWidth - level.magnitude.leadingZeroBitCount
        if length == 0 { bits.write(0, 1) } else { bits.write(0b1_0000 + length - 1, 5) }
        bits.write(level < 0 ? level + (1 << length) - 1 : level, length)
        bits.write(0, 1)
    }

    /// Returns luma and the two chroma differences, minus their middle (ITU-T T.871).
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

/// A lossless WebP of one colour (RFC 9649, section 3).
///
/// Each code has a single symbol, so that pixels take no bits at all.
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

/// A GIF of one colour (GIF89a specification).
///
/// Its codes stay at three bits, because the table is cleared before every two pixels.
enum TinyGIF {
    static func encoded(_ size: PixelSize, _ colour: TinyPicture.Colour) -> [UInt8] {
        let screen = Array("GIF89a".utf8) + .little(size.width, 2) + .little(size.height, 2) + [0x80, 0, 0]
        let table = [colour.red, colour.green, colour.blue, 0, 0, 0]
        let frame = [0x2C] + .little(0, 4) + .little(size.width, 2) + .little(size.height, 2) + [0] as [UInt8]
        return screen + table + frame + data(size.pixelCount) + [0x3B]
    }

    private static func data(_ pixels: Int) -> [UInt8] {
        let (clear, end, codeSize) = (4, 5, 3)
        var bits = BitWriter(.lowestFirst)
        for pixel in 0..<pixels {
            if pixel % 2 == 0 { bits.write(clear, codeSize) }
            bits.write(0, codeSize)
        }
        bits.write(end, codeSize)
        let blocks = bits.bytes.runs(of: 255).flatMap { [UInt8($0.count)] + $0 }
        return [2] + blocks + [0]
    }
}

/// Bytes assembled from bits; the first bit of a code is in the order that the format requires.
struct BitWriter {
    /// Which bit of a byte is filled first.
    enum Order {
        case highestFirst, lowestFirst
    }

    private let order: Order
    private(set) var bytes: [UInt8] = []
    private var used = 8

    init(_ order: Order) {
        self.order = order
    }

    /// Adds `count` bits of `value`, in the writer's order.
    mutating func write(_ value: Int, _ count: Int) {
        for index in 0..<count {
            let shift = order == .lowestFirst ? index : count - 1 - index
            write(bit: value >> shift & 1)
        }
    }

    /// Fills the rest of the last byte with `bit`.
    mutating func fill(with bit: Int) {
        while used < 8 { write(bit: bit) }
    }

    private mutating func write(bit: Int) {
        if used == 8 {
            bytes.append(0)
            used = 0
        }
        bytes[bytes.count - 1] |= UInt8(bit << (order == .lowestFirst ? used : 7 - used))
        used += 1
    }
}

extension [UInt8] {
    /// A number in `length` bytes, the most significant first.
    static func big(_ value: Int, _ length: Int) -> [UInt8] {
        (0..<length).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A number in `length` bytes, the least significant first.
    static func little(_ value: Int, _ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// The bytes in runs of at most `length`.
    func runs(of length: Int) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: count, by: length).map { self[$0..<Swift.min($0 + length, count)] }
    }
}
