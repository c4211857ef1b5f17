/// Removes metadata from JPEG streams (ITU-T T.81), segment by segment.
enum JPEGStripping {
    private static let jfif = Array("JFIF\0".utf8)
    private static let adobe = Array("Adobe".utf8)
    /// The bytes of a JFIF segment before its thumbnail's size.
    private static let jfifBytes = 12
    private static let adobeBytes = 12

    /// Returns the stream in `file` without its metadata, and without any data after its end.
    ///
    /// `nil` if its structure is invalid.
    static func stripped(_ file: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(file)
        return try? picture(file, &reader)
    }

    private static func picture(_ file: [UInt8], _ reader: inout ByteReader) throws(CodecError) -> [UInt8] {
        var picture: [UInt8] = [0xFF, 0xD8]
        picture.reserveCapacity(file.count)
        var offset = 2
        while true {
            let (marker, start) = try JPEGHeader.nextMarker(&reader, from: offset)
            offset = start
            switch marker {
            case 0xD9: return picture + [0xFF, 0xD9]
            case 0x00, 0x01, 0xD0...0xD8: continue
            case 0xC0...0xCF, 0xDA...0xDF, 0xE0...0xEF, 0xFE: break
            default: throw .corrupt("the JPEG has a segment of unknown kind \(marker)")
            }
            let length = try reader.big(start, 2)
            guard length >= 2, start + length <= file.count else { throw .outOfBytes }
            let content = file[start + 2..<start + length]
            offset = content.endIndex
            let kept = kept(content, of: marker)
            if let kept { picture += [0xFF, UInt8(marker)] + [UInt8](big: kept.count + 2, 2) + kept }
            guard marker == 0xDA else { continue }
            offset = endOfCodes(file, from: content.endIndex)
            picture += file[content.endIndex..<offset]
        }
    }

    /// Returns the part of the segment `content` to keep; `nil` for none.
    ///
    /// Of the application segments, decoders need those of JFIF and Adobe. A thumbnail in the JFIF segment is
    /// removed.
    private static func kept(_ content: ArraySlice<UInt8>, of marker: Int) -> ArraySlice<UInt8>? {
        switch marker {
        case 0xE0:
            guard content.starts(with: jfif), content.count >= jfifBytes + 2 else { return nil }
            return content.prefix(jfifBytes) + [0, 0]
        case 0xEE:
            guard content.starts(with: adobe), content.count >= adobeBytes else { return nil }
            return content.prefix(adobeBytes)
        case 0xE1...0xEF, 0xFE: return nil
        default: return content
        }
    }

    /// Returns the position of the marker that ends the codes of a scan, which begin at `start`.
    private static func endOfCodes(_ file: [UInt8], from start: Int) -> Int {
        var offset = start
        while offset + 1 < file.count {
            if file[offset] == 0xFF, file[offset + 1] != 0, !(0xD0...0xD7).contains(file[offset + 1]) {
                return offset
            }
            offset += 1
        }
        return file.count
    }
}

/// Removes metadata from PNG files (third edition of the specification), chunk by chunk.
enum PNGStripping {
    /// The chunks that form the picture or affect its appearance.
    private static let kept: Set = [
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "acTL", "fcTL", "fdAT", "gAMA", "cHRM", "sRGB", "cICP",
        "mDCV", "cLLI",
        "sBIT", "bKGD", "pHYs",
    ]

    /// Returns the file without its other chunks, and without any data after its end.
    ///
    /// `nil` if its structure is invalid.
    static func stripped(_ file: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(file)
        return try? picture(file, &reader)
    }

    /// Returns the profile from its chunk; empty if there is none.
    static func profile(_ reader: inout ByteReader) throws(CodecError) -> [UInt8] {
        let colour = PNGPixels.Colour(rawValue: try reader.byte(25)) ?? .rgb
        var offset = PNGChunk.header
        while case let chunk = try PNGChunk(&reader, at: offset), chunk.kind != "IDAT" {
            if chunk.kind == "iCCP" {
                let content = try reader.bytes(chunk.content.lowerBound, chunk.content.count)
                return try PNGProfile.inflated(content, for: colour)
            }
            offset = chunk.end
        }
        return []
    }

    private static func picture(_ file: [UInt8], _ reader: inout ByteReader) throws(CodecError) -> [UInt8] {
        var picture = Array(file.prefix(PNGChunk.header))
        picture.reserveCapacity(file.count)
        var offset = PNGChunk.header
        while true {
            let chunk = try PNGChunk(&reader, at: offset)
            guard chunk.end <= file.count else { throw .outOfBytes }
            if kept.contains(chunk.kind) {
                picture += file[chunk.whole]
            } else if file[offset + 4] & 32 == 0 {
                // Nothing can be decoded without a chunk whose name begins with a capital letter.
                throw .corrupt("the PNG has a chunk of unknown type \(chunk.kind.debugDescription)")
            }
            if chunk.kind == "IEND" { return picture }
            offset = chunk.end
        }
    }
}

/// Removes EXIF, XMP, the profile and unknown chunks from WebP files (RFC 9649).
enum WebPStripping {
    /// The flags of the extended header for alpha and animation; the others are for metadata.
    private static let pictureFlags: UInt8 = 0x12
    private static let kept: Set = ["VP8 ", "VP8L", "ALPH", "ANIM"]
    /// The bytes of a frame of an animation before its chunks.
    private static let frameHead = 16
    /// The largest profile that is read.
    private static let mostProfileBytes = 4 << 20

    /// Returns the file without its metadata, and without any data after its end.
    ///
    /// Also removes the extended header if nothing else needs it. `nil` if the structure is invalid.
    static func stripped(_ file: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(file)
        return try? rewritten(file, &reader)
    }

    /// Returns the profile from its first chunk; empty if there is none.
    static func profile(_ reader: inout ByteReader) throws(CodecError) -> [UInt8] {
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

    private static func rewritten(_ file: [UInt8], _ reader: inout ByteReader) throws(CodecError) -> [UInt8] {
        let end = 8 + (try reader.little(4, 4))
        guard end <= file.count else { throw .outOfBytes }
        let chunks = try pictureChunks(of: file, 12..<end, &reader)
        return file[0..<4] + [UInt8](little: chunks.count + 4, 4) + file[8..<12] + chunks
    }

    private static func pictureChunks(
        of file: [UInt8],
        _ outer: Range<Int>,
        _ reader: inout ByteReader
    ) throws(CodecError) -> [UInt8] {
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
                chunks += file[offset..<offset + 4] + [UInt8](little: frameHead + frame.count, 4)
                chunks += file[content.lowerBound..<pixels] + frame
            case let kind where kept.contains(kind): chunks += file[offset..<end]
            default: break
            }
            offset = end
        }
        return chunks
    }
}

/// Removes comments, XMP and other metadata from GIF files (version 89a), block by block.
enum GIFStripping {
    private static let header = 13
    /// The applications whose blocks say how often an animation repeats.
    private static let loops = ["NETSCAPE2.0", "ANIMEXTS1.0"].map { Array($0.utf8) }

    /// Returns the file without its metadata and any data after its end; `nil` if its structure is invalid.
    static func stripped(_ file: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(file)
        return try? picture(file, &reader)
    }

    private static func picture(_ file: [UInt8], _ reader: inout ByteReader) throws(CodecError) -> [UInt8] {
        var offset = header + GIFHeader.tableLength(flags: try reader.byte(10))
        guard offset <= file.count else { throw .outOfBytes }
        var picture = Array(file[..<offset])
        picture.reserveCapacity(file.count)
        while offset < file.count, file[offset] == 0x21 || file[offset] == 0x2C {
            let start = offset
            var isKept = true
            if file[start] == 0x21 {
                offset = try GIFHeader.endOfParts(&reader, from: start + 2)
                isKept = try Self.isKept(&reader, start)
            } else {
                let table = GIFHeader.tableLength(flags: try reader.byte(start + 9))
                offset = try GIFHeader.endOfParts(&reader, from: start + 11 + table)
            }
            guard offset <= file.count else { throw .outOfBytes }
            if isKept { picture += file[start..<offset] }
        }
        return picture + [0x3B]
    }

    /// Whether the extension at `start` affects the picture: the display of a frame, text on it, or a loop.
    private static func isKept(_ reader: inout ByteReader, _ start: Int) throws(CodecError) -> Bool {
        switch try reader.byte(start + 1) {
        case 0xF9, 0x01: return true
        case 0xFF:
            let name = try reader.bytes(start + 3, min(try reader.byte(start + 2), 11))
            return loops.contains(name)
        default: return false
        }
    }
}
