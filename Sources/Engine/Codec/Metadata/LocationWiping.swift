import CalotypeCPictures
package import CalotypeCore

/// Removes the location from a photo's metadata, and leaves everything else unchanged.
///
/// It removes the position in EXIF (CIPA DC-008, 4.6.6), and the whole of any XMP packet that contains one.
/// Bytes are overwritten in place, so that offsets within the file, such as that of a second picture after
/// the first, stay valid. Chunks of a PNG are removed.
package enum LocationWiping {
    /// Returns the picture in `input` without its location; `nil` if it contains none.
    ///
    /// The call blocks, and holds the picture in memory.
    ///
    /// - Throws: `file_not_readable`, `too_many_bytes`; `unsupported_format` if the bytes are not a picture.
    package static func wiped(_ input: CodecInput) throws(CalotypeError) -> [UInt8]? {
        let source = try EncodedSource(input)
        try ImageLimits().check(source)
        let file = try source.bytes()
        guard
            case .picture(let format) = ImageProbe.kind(ofPrefix: Array(file.prefix(4096)), isComplete: true),
            // A location in one of these would stay.
            !format.isOnlyRead, !format.needsWorker
        else {
            throw CalotypeError(.unsupportedFormat, "this is not an image that can be read", stage: .probe)
        }
        guard format != .png else { return PNGLocation.wiped(file) }
        var finder = LocationFinder(file)
        // The search ends at data that it does not understand; earlier findings are removed.
        try? finder.search(format)
        return finder.isEmpty ? nil : finder.patched(file)
    }
}

/// Removes the location from the chunks of a PNG (third edition of the specification).
enum PNGLocation {
    /// The keywords of metadata in text chunks that is compressed, in hexadecimal digits, or both.
    private static let opaque = ["Raw profile type exif", "Raw profile type APP1", "Raw profile type xmp"]
    private static let xmp = "XML:com.adobe.xmp"
    private static let longestKeyword = 79

    /// Returns the file without its location; `nil` if it contains none.
    static func wiped(_ file: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(file)
        var wiped = Array(file.prefix(PNGChunk.header))
        var (offset, isChanged) = (PNGChunk.header, false)
        // Truncated or invalid chunks stay unchanged.
        while let chunk = try? PNGChunk(&reader, at: offset), chunk.end <= file.count {
            if let other = replacement(of: chunk.kind, Array(file[chunk.content])) {
                isChanged = true
                if !other.isEmpty { PNGChunk.append(chunk.kind, other.span, to: &wiped) }
            } else {
                wiped += file[chunk.whole]
            }
            offset = chunk.end
            if chunk.kind == "IEND" { break }
        }
        return isChanged ? wiped + file[offset...] : nil
    }

    /// Returns the replacement of a chunk that contains a location; `nil` if it contains none.
    ///
    /// An empty replacement removes the chunk.
    private static func replacement(of kind: String, _ content: [UInt8]) -> [UInt8]? {
        switch kind {
        case "eXIf":
            var finder = LocationFinder(content)
            try? finder.searchEXIF(0..<content.count)
            return finder.isEmpty ? nil : finder.patched(content)
        case "tEXt", "zTXt", "iTXt":
            let keyword = content.prefix(longestKeyword).prefix { $0 != 0 }
            let name = String(decoding: keyword, as: UTF8.self)
            let isCompressed = kind == "iTXt" && content.dropFirst(keyword.count + 1).first == 1
            let isHidden = opaque.contains(name) || name == xmp && isCompressed
            return isHidden || LocationFinder.tells(kind == "zTXt" ? Array(keyword) : content) ? [] : nil
        default: return nil
        }
    }
}
