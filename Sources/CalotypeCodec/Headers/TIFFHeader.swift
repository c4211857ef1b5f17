import CalotypeCore

/// Reads TIFF and BigTIFF files.
enum TIFFHeader {
    private static let mostPages = 10_000
    private static let mostStrips = 1 << 20

    static func facts(_ reader: inout ByteReader) throws(HeaderFault) -> ImageFacts {
        let page = try TIFFDirectory(&reader, in: 0..<Int.max)
        let width = try page.values(&reader, tag: 256, most: 1).first ?? 0
        let height = try page.values(&reader, tag: 257, most: 1).first ?? 0
        guard (1...Int(Int32.max)).contains(width), (1...Int(Int32.max)).contains(height) else {
            throw .corrupt("the TIFF is \(width)x\(height) pixels")
        }
        let extra = try page.values(&reader, tag: 338, most: 1).first
        return ImageFacts(
            format: .tiff,
            storedSize: PixelSize(width: width, height: height),
            orientation: page.orientation(&reader),
            frames: nil,
            // Strips may be as high as the picture, and tiles are held row by row.
            needsWholePicture: true,
            hasAlpha: extra == 1 || extra == 2,
            bitDepth: try page.values(&reader, tag: 258, most: 1).first ?? 1,
            profile: try profile(&reader, page)
        )
    }

    /// Counts the pages; throws `outOfBytes` where a directory or the first page's data lies beyond the end.
    static func walk(_ reader: inout ByteReader) throws(HeaderFault) -> Int {
        var page = try TIFFDirectory(&reader, in: 0..<Int.max)
        try checkData(&reader, page, offsets: 273, counts: 279)
        try checkData(&reader, page, offsets: 324, counts: 325)
        var pages = 1
        while page.next != 0 {
            guard pages < mostPages else { throw .corrupt("the TIFF's directories form a loop") }
            page = try TIFFDirectory(&reader, in: 0..<Int.max, at: page.next)
            pages += 1
        }
        return pages
    }

    private static func checkData(
        _ reader: inout ByteReader,
        _ page: TIFFDirectory,
        offsets: Int,
        counts: Int
    ) throws(HeaderFault) {
        let offsets = try page.values(&reader, tag: offsets, most: mostStrips)
        let counts = try page.values(&reader, tag: counts, most: mostStrips)
        for (offset, count) in zip(offsets, counts) {
            guard try ByteReader.position(offset, plus: count) <= reader.count else { throw .outOfBytes }
        }
    }

    private static func profile(
        _ reader: inout ByteReader,
        _ page: TIFFDirectory
    ) throws(HeaderFault) -> String? {
        guard let field = try page.field(&reader, tag: 34_675), field.size == 1 else { return nil }
        return ICCProfile.name(try reader.bytes(field.start, min(field.count, 256 << 10)))
    }
}
