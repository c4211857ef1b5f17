import CalotypeCPictures

/// One chunk of a PNG (third edition of the specification, 5.3).
struct PNGChunk {
    /// The offset of the header chunk, after the signature.
    static let header = 8
    /// The offset of the chunk after the header.
    static let afterHeader = 33

    /// The four letters of its type.
    let kind: String
    /// The range of its content, which may reach beyond the end of the file.
    let content: Range<Int>

    /// Reads the length and the type of the chunk at `offset`.
    init(_ reader: inout ByteReader, at offset: Int) throws(CodecError) {
        let length = try reader.big(offset, 4)
        kind = try reader.code(offset + 4)
        content = offset + 8..<offset + 8 + length
    }

    /// The offset after the chunk, including its checksum.
    var end: Int { content.upperBound + 4 }

    /// The whole chunk, from its length to its checksum.
    var whole: Range<Int> { content.lowerBound - 8..<end }

    /// Appends a chunk to `file`.
    static func append(_ kind: String, _ content: Span<UInt8>, to file: inout [UInt8]) {
        file += [UInt8](big: content.count, 4)
        let start = file.count
        file += kind.utf8
        unsafe content.withUnsafeBufferPointer { unsafe file.append(contentsOf: $0) }
        let crc = unsafe file.span.extracting(start...).withUnsafeBufferPointer { bytes in
            unsafe cpng_crc(0, bytes.baseAddress, bytes.count)
        }
        file += [UInt8](big: Int(crc), 4)
    }
}
