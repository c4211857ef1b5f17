import CalotypeCore

/// Reads the headers of JPEG 2000 (ITU-T T.800): JP2 files and bare codestreams.
enum JPEG2000Header {
    private static let mostBoxes = 1_000
    private static let mostMarkers = 100_000
    /// The number of an enumerated colour space, CMYK, whose fourth channel is no alpha.
    private static let cmyk = 12

    static func facts(_ reader: inout ByteReader) throws(CodecError) -> ImageFacts {
        var facts = ImageFacts(
            format: .jp2,
            storedSize: PixelSize(width: 0, height: 0),
            needsWholePicture: true
        )
        var isCMYK = false
        let start = try codestream(&reader) { (reader, header) throws(CodecError) in
            for box in try HEIFBox.all(&reader, in: header, most: 64) where box.kind == "colr" {
                let method = try reader.byte(box.content.lowerBound)
                if method == 1 { isCMYK = try reader.big(box.content.lowerBound + 3, 4) == cmyk }
                guard method == 2 else { continue }
                let length = max(0, min(box.content.count - 3, 256 << 10))
                facts.profile = ICCProfile.name(try reader.bytes(box.content.lowerBound + 3, length))
            }
        }
        // The SIZ marker comes first.
        guard try reader.big(start, 4) == 0xFF4F_FF51 else {
            throw .corrupt("the JPEG 2000 codestream does not begin with its size")
        }
        let sides = (0..<2).map { start + 8 + 4 * $0 }
        let origin = start + 16
        facts.storedSize = PixelSize(
            width: try reader.big(sides[0], 4) - (try reader.big(origin, 4)),
            height: try reader.big(sides[1], 4) - (try reader.big(origin + 4, 4))
        )
        let channels = try reader.big(start + 40, 2)
        facts.bitDepth = try reader.byte(start + 42) & 0x7F + 1
        facts.hasAlpha = (channels == 2 || channels == 4) && !isCMYK
        guard facts.storedSize.width > 0, facts.storedSize.height > 0, channels > 0 else {
            throw .corrupt("the JPEG 2000 is \(facts.storedSize) pixels with \(channels) channels")
        }
        return facts
    }

    /// Checks that all tiles are there; throws `outOfBytes` if the file is truncated.
    static func check(_ reader: inout ByteReader) throws(CodecError) {
        var offset = try codestream(&reader) { (_, _) throws(CodecError) in } + 2
        for _ in 0..<mostMarkers {
            let marker = try reader.big(offset, 2)
            if marker == 0xFFD9 { return }
            let length = try reader.big(offset + 2, 2)
            guard marker >= 0xFF00, length >= 2 else { throw .corrupt("the JPEG 2000 has an invalid marker") }
            let part = marker == 0xFF90 ? try reader.big(offset + 6, 4) : length + 2
            // The last tile may extend to the end.
            guard part > 0 else { return }
            guard part >= 12 || marker != 0xFF90 else { throw .corrupt("the JPEG 2000 has an invalid tile") }
            offset = try ByteReader.position(offset, plus: part)
        }
        throw .corrupt("the JPEG 2000 has more than \(mostMarkers) tiles")
    }

    /// Returns the offset of the codestream; `readHeader` reads the boxes in the header of a JP2 file.
    private static func codestream(
        _ reader: inout ByteReader,
        _ readHeader: (inout ByteReader, Range<Int>) throws(CodecError) -> Void
    ) throws(CodecError) -> Int {
        if try reader.big(0, 2) == 0xFF4F { return 0 }
        var offset = 0
        for _ in 0..<mostBoxes {
            let box = try HEIFBox(&reader, at: offset, within: HEIFBox.anywhere)
            if box.kind == "jp2c" { return box.content.lowerBound }
            if box.kind == "jp2h" {
                _ = try reader.byte(box.content.upperBound - 1)
                try readHeader(&reader, box.content)
            }
            offset = box.content.upperBound
        }
        throw .corrupt("the JPEG 2000 file has more than \(mostBoxes) boxes before its image")
    }
}
