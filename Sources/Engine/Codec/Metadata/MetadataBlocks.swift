import CalotypeCore

/// The metadata that a result carries.
struct MetadataBlocks: Hashable {
    /// An EXIF block from its byte order on; empty if there is none.
    var exif: [UInt8] = []
    /// An XMP packet.
    var xmp: [UInt8] = []
    /// IPTC, as in JPEG.
    var iptc: [UInt8] = []
    /// An ICC profile.
    var profile: [UInt8] = []

    /// No metadata.
    static let none = MetadataBlocks()

    init() {}

    /// Collects the `kept` part of the metadata that libvips read with `image`.
    init(of image: VipsImage, _ kept: KeptMetadata) {
        if kept.contains(.all) {
            exif = EXIFBlock.upright(EXIFBlock.unmarked(image.metadata("exif-data")))
            xmp = image.metadata("xmp-data")
            iptc = image.metadata("iptc-data")
        } else if kept.contains(.copyright) {
            exif = EXIFBlock.copyright(of: EXIFBlock.unmarked(image.metadata("exif-data")))
        }
        if kept.contains(.profile), image.hasOwnColours { profile = image.metadata("icc-profile-data") }
    }

    /// Collects the copyright alone, if it is `kept`, from `source`, whose format the fast path supports.
    init(of source: OpenedSource, _ kept: KeptMetadata) {
        guard kept.contains(.copyright) else { return }
        exif = EXIFBlock.copyright(of: EXIFBlock.block(of: source))
    }

    /// The blocks by the names that libvips's encoders use.
    var named: [String: [UInt8]] {
        ["exif-data": exif, "xmp-data": xmp, "iptc-data": iptc, "icc-profile-data": profile]
    }
}

extension VipsImage {
    /// Whether the samples may keep the colours of an embedded profile, for grey or for red, green and blue.
    var hasOwnColours: Bool {
        switch ICCProfile.kind(of: metadata("icc-profile-data")) {
        case .grey, .colours: true
        case .other, .broken, .odd: false
        }
    }
}

/// Reads and writes EXIF blocks (CIPA DC-008), which are small TIFF files.
enum EXIFBlock {
    private static let orientation = 274
    private static let artist = 315
    private static let copyright = 33_432
    private static let thumbnailStart = 513
    private static let thumbnailLength = 514
    private static let longestText = 4096
    private static let mark = Array("Exif\0\0".utf8)

    /// Returns `block` without the mark that JPEG puts before it.
    static func unmarked(_ block: [UInt8]) -> [UInt8] {
        block.starts(with: mark) ? Array(block.dropFirst(mark.count)) : block
    }

    /// Returns a block with only the copyright and artist fields of `block`; empty if it has neither.
    static func copyright(of block: [UInt8]) -> [UInt8] {
        var reader = ByteReader(block)
        guard let directory = try? TIFFDirectory(&reader, in: 0..<block.count) else { return [] }
        let fields = [artist, copyright].compactMap { tag -> (tag: Int, text: [UInt8])? in
            guard let field = try? directory.field(&reader, tag: tag), field.size == 1,
                let text = try? reader.bytes(field.start, min(field.count, longestText - 1)),
                text.contains(where: { $0 > 32 })
            else { return nil }
            return (tag, text.last == 0 ? text : text + [0])
        }
        return fields.isEmpty ? [] : made(of: fields)
    }

    /// Returns `block` for a picture that is now upright, without its thumbnail.
    ///
    /// The thumbnail may show parts that were cut off, so it is wiped. An invalid block becomes empty.
    static func upright(_ block: [UInt8]) -> [UInt8] {
        var (reader, upright) = (ByteReader(block), block)
        guard let directory = try? TIFFDirectory(&reader, in: 0..<block.count) else { return [] }
        if let field = try? directory.field(&reader, tag: orientation), field.count > 0,
            field.start + field.size <= block.count
        {
            let one = [1] + [UInt8](repeating: 0, count: field.size - 1)
            upright.replaceSubrange(
                field.start..<field.start + field.size,
                with: directory.isLittle ? one : one.reversed()
            )
        }
        guard directory.next > 0 else { return upright }
        if let second = try? TIFFDirectory(&reader, in: 0..<block.count, at: directory.next),
            let start = try? second.values(&reader, tag: thumbnailStart, most: 1).first,
            let length = try? second.values(&reader, tag: thumbnailLength, most: 1).first
        {
            for index in start..<max(start, min(block.count, start + length)) { upright[index] = 0 }
        }
        for index in directory.nextField where block.indices.contains(index) { upright[index] = 0 }
        return upright
    }

    /// The block in `source`, which is a JPEG, a PNG or a WebP; empty if there is none.
    static func block(of source: OpenedSource) -> [UInt8] {
        block(source.encoded.reader(), source.facts.format)
    }

    /// The block in a source of `format`; empty if there is none.
    static func block(_ reader: ByteReader, _ format: ImageFormat) -> [UInt8] {
        var reader = reader
        let found =
            switch format {
            case .jpeg: try? JPEGHeader.exif(&reader)
            case .png: try? PNGHeader.exif(&reader)
            case .webp: try? WebPHeader.exif(&reader)
            case .avif, .gif, .heic, .tiff, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom:
                nil as Range<Int>?
            }
        guard let found, let bytes = try? reader.bytes(found.lowerBound, found.count) else { return [] }
        return unmarked(bytes)
    }

    /// Creates a little-endian block of one directory with `fields`, in the order of their tags.
    ///
    /// Each text includes its final NUL.
    private static func made(of fields: [(tag: Int, text: [UInt8])]) -> [UInt8] {
        var block = Array("II*\0".utf8) + [UInt8](little: 8, 4) + [UInt8](little: fields.count, 2)
        var texts: [UInt8] = []
        let start = 8 + 2 + 12 * fields.count + 4
        for (tag, text) in fields {
            block += [UInt8](little: tag, 2) + [UInt8](little: 2, 2) + [UInt8](little: text.count, 4)
            if text.count <= 4 {
                block += text + [UInt8](repeating: 0, count: 4 - text.count)
            } else {
                block += [UInt8](little: start + texts.count, 4)
                texts += text + (text.count % 2 == 0 ? [] : [0])
            }
        }
        return block + [UInt8](little: 0, 4) + texts
    }
}
