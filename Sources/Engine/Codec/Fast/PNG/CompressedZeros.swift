import CalotypeCPictures
package import CalotypeCore

/// Small files of zeros that unpack to far more, for tests of the code that unpacks them.
package enum CompressedZeros {
    private static let blockBytes = 64 << 10
    /// The bytes around the data in a zlib stream (RFC 1950): a header of two, a checksum of four.
    private static let (zlibHead, zlibTail) = (2, 4)

    /// A PNG whose header is that of a picture of `size` with alpha, and whose data ends after `rows` rows.
    ///
    /// - Throws: `encode_failed`.
    package static func png(_ size: PixelSize, rows: Int) throws(CalotypeError) -> [UInt8] {
        let form = PNGForm(.rgba)
        var file = PNGFile(size, form)
        let bytesPerRow = size.width * form.pixelBits / 8
        try write(rows: rows, rowBytes: bytesPerRow) { file.add(data: $0) }
        return file.ended()
    }

    /// A gzip file (RFC 1952) of `blocks` times 64 KiB of zeros.
    ///
    /// - Throws: `encode_failed`.
    package static func gzip(blocks: Int) throws(CalotypeError) -> [UInt8] {
        // No name, no date, unknown system.
        var file: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        // The number of the row's filter is a zero, too.
        try write(rows: blocks, rowBytes: blockBytes - 1) { data in
            let deflated = data.extracting(zlibHead..<data.count - zlibTail)
            unsafe deflated.withUnsafeBufferPointer { unsafe file.append(contentsOf: $0) }
        }
        let block = [UInt8](repeating: 0, count: blockBytes)
        let checksum = (0..<blocks).reduce(UInt32(0)) { checksum, _ in
            unsafe block.withUnsafeBufferPointer { unsafe cpng_crc(checksum, $0.baseAddress, $0.count) }
        }
        for value in [checksum, UInt32(truncatingIfNeeded: blocks * blockBytes)] {
            file += (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        return file
    }

    private static func write(
        rows: Int,
        rowBytes: Int,
        _ body: (Span<UInt8>) -> Void
    ) throws(CalotypeError) {
        let writer = try PNGWriter(rowBytes: rowBytes, pixelBytes: 4, filters: false, effort: .fast)
        let row = [UInt8](repeating: 0, count: rowBytes)
        for _ in 0..<rows { try writer.write(row.span) }
        try writer.finish(body)
    }
}
