import CalotypeCore

/// Reads the headers of Netpbm's portable bitmap, greymap and pixmap (pbm(5), pgm(5), ppm(5)), P1 to P6.
enum PNMHeader {
    /// The description of the samples.
    struct Layout {
        /// 1 for a bitmap, in which 1 is black; 2 for a greymap; 3 for a pixmap.
        let kind: Int
        /// Whether the samples are decimal numbers.
        let isText: Bool
        let size: PixelSize
        /// The value of full brightness, 1 to 65,535.
        let most: Int
        /// The offset of the first sample.
        let start: Int

        /// The number of samples in a row.
        var rowSamples: Int { size.width * (kind == 3 ? 3 : 1) }
        /// The number of bytes in a row of samples that are not text.
        var rowBytes: Int { kind == 1 ? (size.width + 7) / 8 : rowSamples * (most > 255 ? 2 : 1) }
        /// The least number of bytes in all samples: a bitmap in text needs no spaces between its digits.
        var leastBytes: Int {
            // A header may tell any size, so products are clamped.
            let most = PixelSize(width: isText ? rowSamples : rowBytes, height: size.height).pixelCount
            return isText && kind > 1 ? min(most, 1 << 60) * 2 - 1 : most
        }
    }

    /// The maximum length of a header, which may have comments.
    private static let longest = 64 << 10

    /// Whether an image of these kinds begins with `prefix`.
    static func begins(_ prefix: ArraySlice<UInt8>) -> Bool {
        let bytes = prefix.prefix(3).map { Int($0) }
        return bytes.count == 3 && bytes[0] == 0x50 && (0x31...0x36).contains(bytes[1])
            && (isSpace(bytes[2]) || bytes[2] == 0x23)
    }

    static func facts(_ reader: inout ByteReader) throws(CodecError) -> ImageFacts {
        let layout = try layout(&reader)
        return ImageFacts(
            format: .pnm,
            storedSize: layout.size,
            needsWholePicture: true,
            bitDepth: layout.kind == 1 ? 1 : layout.most > 255 ? 16 : 8
        )
    }

    /// Checks that there are enough bytes; throws `outOfBytes` if the file is truncated.
    ///
    /// The numbers in a text may take more bytes, which shows only in decoding.
    static func check(_ reader: inout ByteReader) throws(CodecError) {
        let layout = try layout(&reader)
        guard layout.leastBytes <= reader.count - layout.start else { throw .outOfBytes }
    }

    static func layout(_ reader: inout ByteReader) throws(CodecError) -> Layout {
        let digit = try reader.byte(1) - 0x30
        guard try reader.byte(0) == 0x50, (1...6).contains(digit) else {
            throw .unsupported("a Netpbm image other than P1 to P6")
        }
        let kind = (digit - 1) % 3 + 1
        var offset = 2
        let width = try number(&reader, &offset)
        let height = try number(&reader, &offset)
        let most = kind == 1 ? 1 : try number(&reader, &offset)
        let size = PixelSize(width: width, height: height)
        guard width > 0, height > 0, width < 1 << 31, height < 1 << 31 else {
            throw .corrupt("the PNM is \(size) pixels")
        }
        guard (1...65_535).contains(most) else { throw .corrupt("the PNM has samples of up to \(most)") }
        // A single space ends the header: the next byte may already be a sample.
        return Layout(kind: kind, isText: digit <= 3, size: size, most: most, start: offset + 1)
    }

    /// Reads a number after spaces and comments; `offset` is then that of the space after it.
    private static func number(_ reader: inout ByteReader, _ offset: inout Int) throws(CodecError) -> Int {
        var isComment = false
        while offset < longest {
            let byte = try reader.byte(offset)
            if byte == 0x23 {
                isComment = true
            } else if byte == 0x0A || byte == 0x0D {
                isComment = false
            } else if !isComment, !isSpace(byte) {
                break
            }
            offset += 1
        }
        guard offset < longest else { throw .corrupt("the PNM's header is longer than \(longest) bytes") }
        var value = 0
        let start = offset
        while case let byte = try reader.byte(offset), (0x30...0x39).contains(byte) {
            guard offset - start < 12 else { throw .corrupt("the PNM has a number that is too large") }
            value = value * 10 + byte - 0x30
            offset += 1
        }
        let next = try reader.byte(offset)
        guard offset > start, isSpace(next) || next == 0x23 else {
            throw .corrupt("the PNM has something else than a number in its header")
        }
        return value
    }

    static func isSpace(_ byte: Int) -> Bool { byte == 0x20 || (9...13).contains(byte) }
}
