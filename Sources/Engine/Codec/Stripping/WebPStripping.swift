/// Takes EXIF, XMP, the profile and unknown chunks out of WebP files (RFC 9649).
enum WebPStripping {
    /// The flags of the extended header for alpha and animation; the others are those of metadata.
    private static let pictureFlags: UInt8 = 0x12
    private static let kept: Set = ["VP8 ", "VP8L", "ALPH", "ANIM"]
    /// The bytes of a frame of an animation before its chunks.
    private static let frameHead = 16
    /// The largest profile that is read.
    private static let mostProfileBytes = 4 << 20

    /// The file without its metadata and what follows its end, and without the extended header where nothing else needs it;
    /// `nil` where it is not built as it should be.
    static func stripped(_ file: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(file)
        return try? rewritten(file, &reader)
    }

    /// The profile in the first chunk that has one; empty if no chunk has.
    static func profile(_ reader: inout ByteReader) throws(HeaderFault) -> [UInt8] {
        var offset = 12
        while offset + 8 <= reader.count {
            let length = try reader.little(offset + 4, 4)
            if try reader.code(offset) == "ICCP" {
                return try reader.bytes(offset + 8, min(length, mostProfileBytes))
            }
            offset += 8 + length + length & 1
        }
        return []
    }

    private static func rewritten(_ file: [UInt8], _ reader: inout ByteReader) throws(HeaderFault) -> [UInt8]
    {
        let end = 8 + (try reader.little(4, 4))
        guard end <= file.count else { throw .outOfBytes }
        let chunks = try pictureChunks(of: file, 12..<end, &reader)
        return file[0..<4] + little(chunks.count + 4) + file[8..<12] + chunks
    }

    private static func pictureChunks(
        of file: [UInt8],
        _ outer: Range<Int>,
        _ reader: inout ByteReader
    ) throws(HeaderFault) -> [UInt8] {
        var chunks: [UInt8] = []
        chunks.reserveCapacity(outer.count)
        var offset = outer.lowerBound
        while offset + 8 <= outer.upperBound {
            let length = try reader.little(offset + 4, 4)
            let content = offset + 8..<offset + 8 + length
            guard content.upperBound <= outer.upperBound else { throw .outOfBytes }
            let end = min(content.upperBound + length & 1, outer.upperBound)
            switch try reader.code(offset) {
            case "VP8X":
                guard length >= 10 else { throw .outOfBytes }
                let flags = file[content.lowerBound] & pictureFlags
                if flags != 0 { chunks += file[offset..<offset + 8] + [flags] + file[offset + 9..<end] }
            case "ANMF":
                guard length >= frameHead else { throw .outOfBytes }
                let pixels = content.lowerBound + frameHead
                let frame = try pictureChunks(of: file, pixels..<content.upperBound, &reader)
                chunks += file[offset..<offset + 4] + little(frameHead + frame.count)
                chunks += file[content.lowerBound..<pixels] + frame
            case let kind where kept.contains(kind): chunks += file[offset..<end]
            default: break
            }
            offset = end
        }
        return chunks
    }

    private static func little(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
