import CalotypeCore

/// Reads TIFF and BigTIFF files.
enum TIFFHeader {
    private static let mostPages = 65_535
    private static let mostStrips = 1 << 20
    /// Bits per sample, palette, JPEG tables, and profile: without them, samples would be misinterpreted.
    private static let meanings = [258, 320, 347, 34_675]
    /// Colours that would be decoded incorrectly, by their photometric interpretation.
    private static let oddColours = [
        9: "ICC Lab", 10: "ITU Lab", 32_803: "raw samples of a camera", 34_892: "raw colours of a camera",
    ]

    /// The compressions, JPEG and kinds of JPEG 2000, whose decoders convert YCbCr to red, green and blue.
    private static let colourDecoders = [7, 33_003, 33_004, 33_005, 34_712]

    /// The compressions that libtiff and libvips know, though not in all builds.
    private static let compressions = [
        1, 2, 3, 4, 5, 7, 8, 32_771, 32_773, 32_946, 33_003, 33_004, 33_005, 34_661, 34_887, 34_925, 50_000,
        50_001,
    ]

    static func facts(_ reader: inout ByteReader) throws(CodecError) -> ImageFacts {
        let page = try TIFFDirectory(&reader, in: 0..<Int.max)
        let width = try page.values(&reader, tag: 256, most: 1).first ?? 0
        let height = try page.values(&reader, tag: 257, most: 1).first ?? 0
        guard (1...Int(Int32.max)).contains(width), (1...Int(Int32.max)).contains(height) else {
            throw .corrupt("the TIFF is \(width)x\(height) pixels")
        }
        if let odd = try oddity(&reader, page) { throw .unsupported("a TIFF in \(odd)") }
        for tag in meanings { try checkContents(&reader, page, tag: tag) }
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

    /// The reason why a page would be decoded incorrectly; `nil` if it is supported.
    private static func oddity(
        _ reader: inout ByteReader,
        _ page: TIFFDirectory
    ) throws(CodecError) -> String? {
        let model = try page.values(&reader, tag: 262, most: 1).first ?? 0
        let compression = try page.values(&reader, tag: 259, most: 1).first ?? 1
        guard model == 6, !colourDecoders.contains(compression) else { return oddColours[model] }
        return compression == 6 ? "JPEG of the old style" : "YCbCr without JPEG"
    }

    /// The property of the first page that libvips does not support in all versions; `nil` for none.
    static func rarity(_ reader: inout ByteReader) throws(CodecError) -> String? {
        let page = try TIFFDirectory(&reader, in: 0..<Int.max)
        func value(_ tag: Int, _ usual: Int) throws(CodecError) -> Int {
            try page.values(&reader, tag: tag, most: 1).first ?? usual
        }
        let (bits, kind, compression) = (try value(258, 1), try value(339, 1), try value(259, 1))
        if try page.field(&reader, tag: 322) != nil, try value(284, 1) == 2 {
            return "its tiles have one colour each"
        }
        guard kind == 3 ? bits == 32 : kind < 3 && [1, 2, 4, 8, 16, 32].contains(bits) else {
            return "its samples are \(kind == 3 ? "floats" : "numbers") of \(bits) bits"
        }
        return compressions.contains(compression) ? nil : "its compression has the number \(compression)"
    }

    /// Whether the first page's colours are stored multiplied by their alpha.
    static func isWeighted(_ reader: inout ByteReader) throws(CodecError) -> Bool {
        let page = try TIFFDirectory(&reader, in: 0..<Int.max)
        return try page.values(&reader, tag: 338, most: 1).first == 1
    }

    /// Counts the pages up to the last or to a repeated one.
    ///
    /// Throws `outOfBytes` if a directory or the first page's data lies beyond the end.
    static func walk(_ reader: inout ByteReader) throws(CodecError) -> Int {
        var page = try TIFFDirectory(&reader, in: 0..<Int.max)
        try checkData(&reader, page, offsets: 273, counts: 279)
        try checkData(&reader, page, offsets: 324, counts: 325)
        var ends: Set<Int> = []
        while ends.insert(page.nextField.lowerBound).inserted, page.next != 0 {
            guard ends.count < mostPages else { throw .unsupported("a TIFF of more than \(mostPages) pages") }
            page = try TIFFDirectory(&reader, in: 0..<Int.max, at: page.next)
        }
        return ends.count
    }

    /// Throws `outOfBytes` if the contents of `tag` lie beyond the end.
    private static func checkContents(
        _ reader: inout ByteReader,
        _ page: TIFFDirectory,
        tag: Int
    ) throws(CodecError) {
        guard let field = try page.field(&reader, tag: tag) else { return }
        guard try ByteReader.position(field.start, plus: field.size * field.count) <= reader.count else {
            throw .outOfBytes
        }
    }

    private static func checkData(
        _ reader: inout ByteReader,
        _ page: TIFFDirectory,
        offsets: Int,
        counts: Int
    ) throws(CodecError) {
        let offsets = try page.values(&reader, tag: offsets, most: mostStrips)
        let counts = try page.values(&reader, tag: counts, most: mostStrips)
        for (offset, count) in zip(offsets, counts) {
            guard try ByteReader.position(offset, plus: count) <= reader.count else { throw .outOfBytes }
        }
    }

    private static func profile(
        _ reader: inout ByteReader,
        _ page: TIFFDirectory
    ) throws(CodecError) -> String? {
        guard let field = try page.field(&reader, tag: 34_675), field.size == 1 else { return nil }
        return ICCProfile.name(try reader.bytes(field.start, min(field.count, 256 << 10)))
    }
}

extension EncodedSource {
    /// Whether colours are stored multiplied by their alpha, in the picture with these `facts`.
    func isWeighted(_ facts: ImageFacts) -> Bool {
        var reader = reader()
        // An unreadable header was refused before.
        return facts.format == .tiff && (try? TIFFHeader.isWeighted(&reader)) ?? false
    }
}
