/// Takes EXIF, XMP and the profile out of WebP files (RFC 9649), where libvips 8.14 writes them even when told not to.
enum WebPStripping {
    /// The flags of the extended header for the profile, EXIF and XMP.
    private static let metadataFlags: UInt8 = 0x2C

    /// `file` without its metadata, and without the extended header where nothing else needs it.
    static func stripped(_ file: [UInt8]) -> [UInt8] {
        (try? rewritten(file)) ?? file
    }

    private static func rewritten(_ file: [UInt8]) throws(HeaderFault) -> [UInt8] {
        var reader = ByteReader(file)
        var chunks: [UInt8] = []
        chunks.reserveCapacity(file.count)
        var offset = 12
        while offset + 8 <= file.count {
            let length = try reader.little(offset + 4, 4)
            let end = min(offset + 8 + length + length & 1, file.count)
            switch try reader.code(offset) {
            case "EXIF", "XMP ", "ICCP": break
            case "VP8X":
                let flags = UInt8(try reader.byte(offset + 8)) & ~metadataFlags
                guard flags != 0 else { break }
                chunks += file[offset..<offset + 8] + [flags] + file[offset + 9..<end]
            default: chunks += file[offset..<end]
            }
            offset = end
        }
        let size = chunks.count + 4
        let sizeBytes = (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
        return file[0..<4] + sizeBytes + file[8..<12] + chunks
    }
}
