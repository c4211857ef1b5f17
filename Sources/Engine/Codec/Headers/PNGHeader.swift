import CalotypeCore

/// Reads PNG files (third edition of the specification, with animation) chunk by chunk.
enum PNGHeader {
    private static let mostChunks = 10_000
    private static let depths: [Int: [Int]] = [
        0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
    ]

    static func facts(_ reader: inout ByteReader) throws(CodecError) -> ImageFacts {
        var facts = try header(&reader)
        var offset = PNGChunk.afterHeader
        for _ in 0..<mostChunks {
            let chunk = try PNGChunk(&reader, at: offset)
            switch chunk.kind {
            case "IDAT": return facts
            case "IEND": throw .corrupt("the PNG has no image data")
            case "tRNS": facts.hasAlpha = true
            case "acTL": facts.frames = nil
            case "iCCP": facts.profile = try keyword(&reader, chunk.content)
            case "eXIf": facts.orientation = try TIFFDirectory.orientation(&reader, in: chunk.content)
            default: break
            }
            offset = chunk.end
        }
        throw .corrupt("the PNG has more than \(mostChunks) chunks before its image")
    }

    /// The range of the EXIF block, which may follow the picture; `nil` if there is none.
    ///
    /// Throws `outOfBytes` if the file ends before its last chunk does.
    static func exif(_ reader: inout ByteReader) throws(CodecError) -> Range<Int>? {
        try contents(&reader).exif
    }

    /// Adds the EXIF orientation, which may follow the picture, and the actual number of frames.
    ///
    /// Throws `outOfBytes` if the file ends before its last chunk does.
    static func walk(_ facts: inout ImageFacts, _ reader: inout ByteReader) throws(CodecError) {
        let contents = try contents(&reader)
        if let block = contents.exif { facts.orientation = try TIFFDirectory.orientation(&reader, in: block) }
        facts.frames = contents.isAnimation ? max(1, contents.frames) : 1
    }

    private struct Contents {
        var exif: Range<Int>?
        var isAnimation = false
        /// The actual number of frames; the number in the animation's own header may be wrong.
        var frames = 0
    }

    private static func contents(_ reader: inout ByteReader) throws(CodecError) -> Contents {
        var contents = Contents()
        var offset = PNGChunk.afterHeader
        while true {
            let chunk = try PNGChunk(&reader, at: offset)
            switch chunk.kind {
            case "IEND":
                _ = try reader.byte(chunk.content.lowerBound + 3)
                return contents
            case "eXIf": contents.exif = contents.exif ?? chunk.content
            case "acTL": contents.isAnimation = true
            case "fcTL": contents.frames += 1
            default: break
            }
            offset = chunk.end
        }
    }

    /// The bytes of all rows of the picture in `png`, whose header is valid, each preceded by its filter.
    static func filteredBytes(_ png: [UInt8]) throws(CodecError) -> Int {
        var reader = ByteReader(png)
        let facts = try header(&reader)
        let channels = [2: 3, 4: 2, 6: 4][try reader.byte(25)] ?? 1
        // The steps across and down, and the starting points, of a plain picture or of the seven passes of an
        // interlaced one.
        let passes =
            facts.needsWholePicture
            ? [
                (8, 8, 0, 0), (8, 8, 4, 0), (4, 8, 0, 4), (4, 4, 2, 0), (2, 4, 0, 2), (2, 2, 1, 0),
                (1, 2, 0, 1),
            ]
            : [(1, 1, 0, 0)]
        return passes.reduce(0) { sum, pass in
            let (across, down, left, top) = pass
            let width = max(0, facts.storedSize.width - left + across - 1) / across
            let height = max(0, facts.storedSize.height - top + down - 1) / down
            return width == 0 ? sum : sum + height * (1 + (width * channels * facts.bitDepth + 7) / 8)
        }
    }

    private static func header(_ reader: inout ByteReader) throws(CodecError) -> ImageFacts {
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

    /// The profile's name, which precedes its compressed bytes.
    private static func keyword(
        _ reader: inout ByteReader,
        _ content: Range<Int>
    ) throws(CodecError) -> String {
        var name = ""
        for offset in content.prefix(79) {
            let byte = try reader.byte(offset)
            if byte == 0 { break }
            if byte >= 32 { name.unicodeScalars.append(Unicode.Scalar(UInt8(byte))) }
        }
        return name.isEmpty ? "unnamed" : name
    }
}
