/// Takes comments, XMP and other metadata out of GIF files (version 89a), block by block.
enum GIFStripping {
    private static let header = 13
    /// The applications whose blocks say how often an animation is repeated.
    private static let loops = ["NETSCAPE2.0", "ANIMEXTS1.0"].map { Array($0.utf8) }

    /// The file without its metadata and what follows its end; `nil` where it is not built as it should be.
    static func stripped(_ file: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(file)
        return try? picture(file, &reader)
    }

    private static func picture(_ file: [UInt8], _ reader: inout ByteReader) throws(HeaderFault) -> [UInt8] {
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

    /// Whether the extension at `start` has to do with the picture: how a frame is shown, a text on it, or a loop.
    private static func isKept(_ reader: inout ByteReader, _ start: Int) throws(HeaderFault) -> Bool {
        switch try reader.byte(start + 1) {
        case 0xF9, 0x01: return true
        case 0xFF:
            let name = try reader.bytes(start + 3, min(try reader.byte(start + 2), 11))
            return loops.contains(name)
        default: return false
        }
    }
}
