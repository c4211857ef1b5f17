import CalotypeCPictures
package import CalotypeCore

/// Removes the location from a photo's metadata, and leaves everything else unchanged.
///
/// Removes the position in EXIF (CIPA DC-008, 4.6.6), and any XMP packet that contains one, as a whole. Bytes are overwritten in
/// place, so that offsets within the file, such as that of a second picture behind the first, stay valid; chunks of a PNG are
/// removed.
package enum LocationWiping {
    /// Returns the picture in `input` without its location; `nil` if it contains none.
    ///
    /// It blocks, and holds the picture in memory.
    ///
    /// - Throws: `file_not_readable`, `too_many_bytes`; `unsupported_format` for what is no picture.
    package static func wiped(_ input: CodecInput) throws(CalotypeError) -> [UInt8]? {
        let source = try EncodedSource(input)
        try ImageLimits().check(source)
        let file = try source.bytes()
        guard
            case .picture(let format) = ImageProbe.kind(ofPrefix: Array(file.prefix(4096)), isComplete: true)
        else {
            throw CalotypeError(.unsupportedFormat, "this is no picture that can be read", stage: .probe)
        }
        guard format != .png else { return PNGLocation.wiped(file) }
        var finder = LocationFinder(file)
        // What cannot be understood ends the search; what was found before it goes.
        try? finder.search(format)
        return finder.isEmpty ? nil : finder.patched(file)
    }
}

/// Removes the location from the chunks of a PNG (third edition of the specification).
enum PNGLocation {
    /// The keywords of metadata in text, which is compressed, or in hexadecimal digits, or both.
    private static let opaque = ["Raw profile type exif", "Raw profile type APP1", "Raw profile type xmp"]
    private static let xmp = "XML:com.adobe.xmp"
    private static let longestKeyword = 79

    /// The file without what tells a place; `nil` where nothing does.
    static func wiped(_ file: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(file)
        var wiped = Array(file.prefix(PNGChunk.header))
        var (offset, isChanged) = (PNGChunk.header, false)
        // What is cut off or makes no sense stays unchanged.
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

    /// What comes in the place of a chunk that tells a place, nothing or another content; `nil` where it tells none.
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
