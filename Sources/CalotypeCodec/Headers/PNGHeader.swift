import CalotypeCore

/// Reads PNG files (third edition of the specification, with animation) chunk by chunk.
enum PNGHeader {
    private static let mostChunks = 10_000
    private static let depths: [Int: [Int]] = [
        0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
    ]

    static func facts(_ reader: inout ByteReader) throws(HeaderFault) -> ImageFacts {
        var facts = try header(&reader)
        var offset = 33
        for _ in 0..<mostChunks {
            let length = try reader.big(offset, 4)
            let content = offset + 8..<offset + 8 + length
            switch try reader.code(offset + 4) {
            case "IDAT": return facts
            case "IEND": throw .corrupt("the PNG has no picture data")
            case "tRNS": facts.hasAlpha = true
            case "acTL": facts.frames = max(1, try reader.big(content.lowerBound, 4))
            case "iCCP": facts.profile = try keyword(&reader, content)
            case "eXIf": facts.orientation = try TIFFDirectory.orientation(&reader, in: content)
            default: break
            }
            offset = content.upperBound + 4
        }
        throw .corrupt("the PNG has more than \(mostChunks) chunks before its picture")
    }

    /// Where the EXIF block lies; `nil` where there is none before the picture.
    static func exif(_ reader: inout ByteReader) throws(HeaderFault) -> Range<Int>? {
        var offset = 33
        for _ in 0..<mostChunks {
            let length = try reader.big(offset, 4)
            switch try reader.code(offset + 4) {
            case "IDAT", "IEND": return nil
            case "eXIf": return offset + 8..<offset + 8 + length
            default: offset += 12 + length
            }
        }
        return nil
    }

    /// Throws `outOfBytes` where the file ends before its last chunk does.
    static func walk(_ reader: inout ByteReader) throws(HeaderFault) {
        var offset = 8
        while try reader.code(offset + 4) != "IEND" {
            offset += 12 + (try reader.big(offset, 4))
        }
        _ = try reader.byte(offset + 11)
    }

    private static func header(_ reader: inout ByteReader) throws(HeaderFault) -> ImageFacts {
        guard try reader.big(8, 4) == 13, try reader.code(12) == "IHDR" else {
            throw .corrupt("the PNG does not begin with its header chunk")
        }
        let width = try reader.big(16, 4)
        let height = try reader.big(20, 4)
        guard (1...Int(Int32.max)).contains(width), (1...Int(Int32.max)).contains(height) else {
            throw .corrupt("the PNG is \(width)x\(height) pixels")
        }
        let depth = try reader.byte(24)
        let colour = try reader.byte(25)
        let interlace = try reader.byte(28)
        guard depths[colour]?.contains(depth) == true, interlace <= 1 else {
            throw .corrupt(
                "the PNG's header has colour type \(colour), depth \(depth), interlace \(interlace)"
            )
        }
        return ImageFacts(
            format: .png,
            storedSize: PixelSize(width: width, height: height),
            needsWholePicture: interlace == 1,
            hasAlpha: colour >= 4,
            bitDepth: depth
        )
    }

    /// The profile's name, which stands before its compressed bytes.
    private static func keyword(
        _ reader: inout ByteReader,
        _ content: Range<Int>
    ) throws(HeaderFault) -> String {
        var name = ""
        for offset in content.prefix(79) {
            let byte = try reader.byte(offset)
            if byte == 0 { break }
            if byte >= 32 { name.unicodeScalars.append(Unicode.Scalar(UInt8(byte))) }
        }
        return name.isEmpty ? "unnamed" : name
    }
}
