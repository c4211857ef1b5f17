import CalotypeCore

/// Reads the headers of bitmaps of Windows and OS/2, in files of their own and in icons.
struct BMPHeader {
    /// The ways in which samples are stored.
    enum Compression: Equatable {
        case none
        /// Runs of colours from the palette, as many bits each as the header says: 4 or 8.
        case runs
        /// Channels at the bits of a mask.
        case masks
    }

    let size: PixelSize
    /// Whether the first row is the top one; usually it is the last.
    let isTopDown: Bool
    /// The number of bits per pixel: 1, 2, 4, 8, 16, 24 or 32.
    let bits: Int
    let compression: Compression
    /// The masks of red, green, blue and alpha; 0 for a missing channel.
    let masks: [Int]
    /// The offset of the palette, and its number of colours.
    let palette: (start: Int, count: Int)
    /// The bytes of a colour in the palette, 3 or 4.
    let colourBytes: Int
    /// The offset of the first row.
    let pixels: Int

    /// The length of the file's own header.
    static let fileHeader = 14
    private static let lengths: Set<Int> = [12, 40, 52, 56, 64, 108, 124]

    /// Whether there is an alpha channel.
    var hasAlpha: Bool { masks[3] != 0 }
    /// The bytes in a row without compression.
    var rowBytes: Int { (size.width * bits + 31) / 32 * 4 }

    /// Whether a bitmap begins with `prefix`; two letters alone may be those of a text.
    static func begins(_ prefix: ArraySlice<UInt8>) -> Bool {
        guard prefix.starts(with: "BM".utf8) else { return false }
        let length = prefix.dropFirst(fileHeader).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        return lengths.contains(length)
    }

    static func facts(_ reader: inout ByteReader) throws(CodecError) -> ImageFacts {
        let header = try BMPHeader(&reader)
        return ImageFacts(
            format: .bmp,
            storedSize: header.size,
            needsWholePicture: true,
            hasAlpha: header.hasAlpha
        )
    }

    /// Checks that all rows are there; throws `outOfBytes` if the file is truncated.
    ///
    /// Runs show only in decoding where they end.
    static func check(_ reader: inout ByteReader) throws(CodecError) {
        let header = try BMPHeader(&reader)
        // A header may tell any size, so the product is clamped.
        let rows = PixelSize(width: header.rowBytes, height: header.size.height).pixelCount
        let length = header.compression == .runs ? 2 : rows
        guard length <= reader.count - header.pixels else { throw .outOfBytes }
    }

    /// Reads the header in `reader`.
    ///
    /// - Parameters:
    ///   - reader: The file.
    ///   - icon: The offset of a picture in an icon, which has no file header, and twice the height for its
    ///     mask.
    /// - Throws: `outOfBytes`, `corrupt`, `unsupported`.
    init(_ reader: inout ByteReader, icon: Int? = nil) throws(CodecError) {
        let start = icon ?? Self.fileHeader
        let length = try reader.little(start, 4)
        guard Self.lengths.contains(length) else {
            throw .unsupported("a BMP with a header of \(length) bytes")
        }
        let isOld = length == 12
        let width = Self.signed(try reader.little(start + 4, isOld ? 2 : 4), isOld ? 16 : 32)
        let stored = Self.signed(try reader.little(start + (isOld ? 6 : 8), isOld ? 2 : 4), isOld ? 16 : 32)
        let height = icon == nil ? abs(stored) : abs(stored) / 2
        guard width > 0, height > 0 else { throw .corrupt("the BMP is \(width) by \(stored) pixels") }
        size = PixelSize(width: width, height: height)
        isTopDown = stored < 0
        bits = try reader.little(start + (isOld ? 10 : 14), 2)
        guard [1, 2, 4, 8, 16, 24, 32].contains(bits) else {
            throw .unsupported("a BMP with \(bits) bits per pixel")
        }
        let code = isOld ? 0 : try reader.little(start + 16, 4)
        compression = try Self.compression(code, bits, isOS2: length == 64)
        let hasMasksBehind = length == 40 && compression == .masks
        masks = try Self.masks(&reader, start, length, code, bits)
        let behind = hasMasksBehind ? (code == 6 ? 16 : 12) : 0
        colourBytes = isOld ? 3 : 4
        let used = isOld ? 0 : try reader.little(start + 32, 4)
        let most = bits <= 8 ? 1 << bits : 0
        palette = (start + length + behind, used == 0 ? most : min(used, most))
        // Pixels of more than 8 bits may be accompanied by colours that nobody needs.
        let colours = bits <= 8 ? palette.count : min(used, 256)
        let end = palette.start + colours * colourBytes
        let told = icon == nil ? try reader.little(10, 4) : end
        pixels = told < start + length ? end : told
    }

    private static func compression(_ code: Int, _ bits: Int, isOS2: Bool) throws(CodecError) -> Compression {
        switch (code, bits) {
        case (0, _): return .none
        case (1, 8), (2, 4): return .runs
        case (3, 16), (3, 32), (6, 16), (6, 32): if !isOS2 { return .masks }
        default: break
        }
        throw .unsupported("a BMP of \(bits) bits with compression \(code)")
    }

    private static func masks(
        _ reader: inout ByteReader,
        _ start: Int,
        _ length: Int,
        _ code: Int,
        _ bits: Int
    ) throws(CodecError) -> [Int] {
        guard code == 3 || code == 6 else {
            // The fourth byte of a pixel means nothing without a mask.
            return bits == 16 ? [0x7C00, 0x3E0, 0x1F, 0] : [0xFF0000, 0xFF00, 0xFF, 0]
        }
        let hasAlpha = length >= 56 || code == 6
        var masks: [Int] = []
        for channel in 0..<(hasAlpha ? 4 : 3) {
            let mask = try reader.little(start + 40 + 4 * channel, 4)
            // The bits of a mask lie side by side.
            let high = mask == 0 ? 0 : mask >> mask.trailingZeroBitCount
            guard high & (high + 1) == 0 else { throw .corrupt("the BMP has a mask with gaps") }
            masks.append(mask)
        }
        return hasAlpha ? masks : masks + [0]
    }

    private static func signed(_ value: Int, _ bits: Int) -> Int {
        value >= 1 << (bits - 1) ? value - 1 << bits : value
    }
}
