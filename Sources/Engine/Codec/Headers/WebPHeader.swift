import CalotypeCore

/// Reads WebP files (RFC 9649): lossy, lossless and extended.
enum WebPHeader {
    static func facts(_ reader: inout ByteReader) throws(CodecError) -> ImageFacts {
        let content = 20
        switch try reader.code(12) {
        case "VP8 ": return try lossy(&reader, content)
        case "VP8L": return try lossless(&reader, content)
        case "VP8X": return try extended(&reader, content)
        case let other:
            throw .corrupt("the WebP begins with a chunk of unknown type \(other.debugDescription)")
        }
    }

    /// Counts the frames and reads the EXIF orientation, which is at the end.
    ///
    /// Throws `outOfBytes` if the file is shorter than its header says.
    static func walk(_ reader: inout ByteReader) throws(CodecError) -> (frames: Int, orientation: Int) {
        let end = 8 + (try reader.little(4, 4))
        guard end <= reader.count else { throw .outOfBytes }
        var frames = 0
        var orientation = 1
        var offset = 12
        while offset + 8 <= end {
            let length = try reader.little(offset + 4, 4)
            guard offset + 8 + length <= end else { throw .corrupt("a WebP chunk reaches beyond the end") }
            let kind = try reader.code(offset)
            if kind == "ANMF" { frames += 1 }
            if kind == "EXIF" { orientation = try exif(&reader, offset + 8..<offset + 8 + length) }
            offset += 8 + length + length & 1
        }
        return (max(1, frames), orientation)
    }

    /// The range of the EXIF block, which some writers begin as in JPEG; `nil` if there is none.
    static func exif(_ reader: inout ByteReader) throws(CodecError) -> Range<Int>? {
        let end = min(reader.count, 8 + (try reader.little(4, 4)))
        var offset = 12
        while offset + 8 <= end {
            let length = try reader.little(offset + 4, 4)
            if try reader.code(offset) == "EXIF" { return offset + 8..<offset + 8 + length }
            offset += 8 + length + length & 1
        }
        return nil
    }

    private static func lossy(_ reader: inout ByteReader, _ content: Int) throws(CodecError) -> ImageFacts {
        guard try reader.big(content + 3, 3) == 0x9D012A else { throw .corrupt("the WebP has no key frame") }
        let width = try reader.little(content + 6, 2) & 0x3FFF
        let height = try reader.little(content + 8, 2) & 0x3FFF
        return try still(width, height, alpha: false)
    }

    private static func lossless(_ reader: inout ByteReader, _ content: Int) throws(CodecError) -> ImageFacts
    {
        guard try reader.byte(content) == 0x2F else { throw .corrupt("the WebP has no lossless signature") }
        let bits = try reader.little(content + 1, 4)
        return try still(bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1, alpha: bits >> 28 & 1 == 1)
    }

    private static func still(_ width: Int, _ height: Int, alpha: Bool) throws(CodecError) -> ImageFacts {
        guard width > 0, height > 0 else { throw .corrupt("the WebP is \(width)x\(height) pixels") }
        let size = PixelSize(width: width, height: height)
        return ImageFacts(format: .webp, storedSize: size, needsWholePicture: true, hasAlpha: alpha)
    }

    private static func extended(_ reader: inout ByteReader, _ content: Int) throws(CodecError) -> ImageFacts
    {
        let flags = try reader.byte(content)
        let width = try reader.little(content + 4, 3) + 1
        let height = try reader.little(content + 7, 3) + 1
        var facts = try still(width, height, alpha: flags & 0x10 != 0)
        if flags & 0x02 != 0 { facts.frames = nil }
        let next = 20 + (try reader.little(16, 4))
        if flags & 0x20 != 0, try reader.code(next) == "ICCP" {
            let length = min(try reader.little(next + 4, 4), 256 << 10)
            facts.profile = ICCProfile.name(try reader.bytes(next + 8, length))
        }
        return facts
    }

    /// The orientation in an EXIF chunk, which some writers begin as in JPEG.
    private static func exif(_ reader: inout ByteReader, _ content: Range<Int>) throws(CodecError) -> Int {
        let isMarked = try content.count > 6 ? reader.matches("Exif", at: content.lowerBound) : false
        return try TIFFDirectory.orientation(
            &reader,
            in: content.lowerBound + (isMarked ? 6 : 0)..<content.upperBound
        )
    }
}
