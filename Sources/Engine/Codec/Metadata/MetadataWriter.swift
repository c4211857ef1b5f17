import CalotypeCPictures
import CalotypeCore

/// Inserts metadata into encoded JPEG, PNG and WebP files that have none.
enum MetadataWriter {
    private static let longestSegment = 65_533
    private static let profileMark = Array("ICC_PROFILE\0".utf8)

    /// Returns `file` with `blocks`.
    ///
    /// Other formats, and files with a structure that no encoder produces, stay unchanged.
    static func adding(_ blocks: MetadataBlocks, to file: [UInt8], _ format: ImageFormat) -> [UInt8] {
        guard blocks != .none else { return file }
        switch format {
        case .jpeg: return jpeg(file, blocks)
        case .png: return png(file, blocks)
        case .webp: return (try? webp(file, blocks)) ?? file
        case .avif, .gif, .heic, .tiff, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom: return file
        }
    }

    /// Adds segments (ITU-T T.81, B.1.1.4) after the JFIF header, except blocks that are too long for one.
    private static func jpeg(_ file: [UInt8], _ blocks: MetadataBlocks) -> [UInt8] {
        var start = 2
        if file.count > 6, file[2] == 0xFF, file[3] == 0xE0 { start = 4 + Int(file[4]) << 8 + Int(file[5]) }
        guard start <= file.count else { return file }
        var segments: [UInt8] = []
        func add(_ marker: UInt8, _ mark: [UInt8], _ content: [UInt8]) {
            let length = mark.count + content.count
            guard !content.isEmpty, length <= longestSegment else { return }
            segments += [0xFF, marker] + [UInt8](big: length + 2, 2) + mark + content
        }
        add(0xE1, Array("Exif\0\0".utf8), blocks.exif)
        add(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8), blocks.xmp)
        let part = longestSegment - profileMark.count - 2
        let parts = (blocks.profile.count + part - 1) / part
        for index in 0..<parts where parts <= 255 {
            let bytes = blocks.profile.dropFirst(index * part).prefix(part)
            add(0xE2, profileMark + [UInt8(index + 1), UInt8(parts)], Array(bytes))
        }
        // Other formats store IPTC without Photoshop's resources around it.
        if blocks.iptc.starts(with: "Photoshop".utf8) { add(0xED, [], blocks.iptc) }
        return file[..<start] + segments + file[start...]
    }

    /// Adds chunks (PNG, third edition, 11.3) after the header.
    private static func png(_ file: [UInt8], _ blocks: MetadataBlocks) -> [UInt8] {
        let start = PNGChunk.afterHeader
        guard file.count > start else { return file }
        var chunks: [UInt8] = []
        func add(_ kind: String, _ mark: [UInt8], _ content: [UInt8]) {
            guard !content.isEmpty else { return }
            let marked = mark + content
            PNGChunk.append(kind, marked.span, to: &chunks)
        }
        add("iCCP", Array("ICC\0\0".utf8), stored(blocks.profile))
        add("eXIf", [], blocks.exif)
        add("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8), blocks.xmp)
        return file[..<start] + chunks + file[start...]
    }

    /// Returns `bytes` as an uncompressed zlib stream (RFC 1950, 1951); empty for no bytes.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        var stream: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: bytes.count, by: 65_535) {
            let block = bytes[start..<min(start + 65_535, bytes.count)]
            let isLast = block.endIndex == bytes.count
            let length = [UInt8](little: block.count, 2)
            stream += [isLast ? 1 : 0] + length + length.map { ~$0 } + block
        }
        var (low, high) = (1, 0)
        for byte in bytes {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return stream + [UInt8](big: high << 16 | low, 4)
    }

    /// Adds chunks around the picture, in the extended format (RFC 9649, 2.7).
    private static func webp(_ file: [UInt8], _ blocks: MetadataBlocks) throws(CodecError) -> [UInt8] {
        var reader = ByteReader(file)
        let facts = try WebPHeader.facts(&reader)
        let isExtended = try reader.code(12) == "VP8X"
        var flags = UInt8(isExtended ? try reader.byte(20) : facts.hasAlpha ? 0x10 : 0)
        if !blocks.profile.isEmpty { flags |= 0x20 }
        if !blocks.exif.isEmpty { flags |= 0x08 }
        if !blocks.xmp.isEmpty { flags |= 0x04 }
        let size = facts.storedSize
        let header =
            [flags, 0, 0, 0] + [UInt8](little: size.width - 1, 3) + [UInt8](little: size.height - 1, 3)
        let picture = file[(isExtended ? 30 : 12)...]
        let chunks =
            chunk("VP8X", header) + chunk("ICCP", blocks.profile) + picture + chunk("EXIF", blocks.exif)
            + chunk("XMP ", blocks.xmp)
        return Array("RIFF".utf8) + [UInt8](little: chunks.count + 4, 4) + Array("WEBP".utf8) + chunks
    }

    private static func chunk(_ kind: String, _ content: [UInt8]) -> [UInt8] {
        guard !content.isEmpty else { return [] }
        return Array(kind.utf8) + [UInt8](little: content.count, 4) + content
            + (content.count % 2 == 0 ? [] : [0])
    }
}
