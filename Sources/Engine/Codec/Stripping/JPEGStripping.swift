/// Takes metadata out of JPEG streams (ITU-T T.81), segment by segment.
enum JPEGStripping {
    private static let jfif = Array("JFIF\0".utf8)
    private static let adobe = Array("Adobe".utf8)
    /// The bytes of a JFIF segment before its thumbnail's size.
    private static let jfifBytes = 12
    private static let adobeBytes = 12

    /// The stream in `file` without its metadata, and without what follows its end; `nil` where it is not built as it should be.
    static func stripped(_ file: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(file)
        return try? picture(file, &reader)
    }

    private static func picture(_ file: [UInt8], _ reader: inout ByteReader) throws(HeaderFault) -> [UInt8] {
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
            if let kept { picture += [0xFF, UInt8(marker)] + big(kept.count + 2) + kept }
            guard marker == 0xDA else { continue }
            offset = endOfCodes(file, from: content.endIndex)
            picture += file[content.endIndex..<offset]
        }
    }

    /// What stays of the segment `content`; `nil` for none of it.
    ///
    /// Of the segments of applications, decoders need JFIF's and Adobe's; the former may have a thumbnail, which goes.
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

    /// Where the marker is that ends the codes of a scan, which begin at `start`.
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

    private static func big(_ number: Int) -> [UInt8] {
        [UInt8(number >> 8), UInt8(number & 255)]
    }
}
