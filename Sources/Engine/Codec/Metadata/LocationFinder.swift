import CalotypeCore

/// Finds the location data of a photo, and prepares the bytes that overwrite it.
struct LocationFinder {
    private var reader: ByteReader
    private var patches: [(start: Int, bytes: [UInt8])] = []
    /// The offsets of the directories that were read: a malicious file may form a loop.
    private var directories: Set<Int> = []

    private static let gps = 34_853
    /// The directories inside another: of EXIF, and of further pictures.
    private static let below = [34_665, 330]
    private static let xmp = 700
    private static let mostDirectories = 200
    private static let mostEntries = 2000
    /// The maximum length of a value in a position.
    private static let mostValue = 64 << 10
    private static let mostTrailer = 64 << 20
    private static let exifMark = Array("Exif\0\0".utf8)
    private static let xmpMark = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    private static let moreXMPMark = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
    /// The digest, length and offset before the bytes of a packet's further part.
    private static let moreXMPHead = 40
    private static let emptyXMP = Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)
    private static let places = ["latitude", "longitude", "gpscoordinates"].map { Array($0.utf8) }

    /// Searches in `file`.
    init(_ file: [UInt8]) {
        reader = ByteReader(file)
    }

    /// Whether nothing was found.
    var isEmpty: Bool { patches.isEmpty }

    /// Returns `file` with all findings overwritten.
    func patched(_ file: [UInt8]) -> [UInt8] {
        var file = file
        for patch in patches {
            file.replaceSubrange(patch.start..<patch.start + patch.bytes.count, with: patch.bytes)
        }
        return file
    }

    /// Searches a whole file of `format`.
    ///
    /// - Throws: If the file becomes invalid; earlier findings remain.
    mutating func search(_ format: ImageFormat) throws(CodecError) {
        switch format {
        case .jpeg: try searchJPEG()
        case .webp: try searchWebP()
        case .avif, .heic: try searchHEIF()
        case .tiff: try searchTIFF(in: 0..<reader.count)
        case .gif, .png, .pnm, .jp2, .jxl, .bmp, .tga, .psd, .ico, .svg, .custom: break
        }
    }

    /// Searches the EXIF block `content`, with or without the mark that JPEG puts before it.
    mutating func searchEXIF(_ content: Range<Int>) throws(CodecError) {
        let isMarked = try has(Self.exifMark, content)
        try searchTIFF(in: isMarked ? content.dropFirst(Self.exifMark.count) : content)
    }

    // MARK: Containers

    /// Searches the segments of all parts of the stream, and the data after it.
    ///
    /// That data may be further pictures, and videos with a location.
    private mutating func searchJPEG() throws(CodecError) {
        var offset = 2
        while true {
            let (marker, start) = try JPEGHeader.nextMarker(&reader, from: offset)
            offset = start
            if marker == 0xD9 { break }
            if marker <= 0x01 || (0xD0...0xD8).contains(marker) { continue }
            offset = try start + max(2, reader.big(start, 2))
            guard marker == 0xE1, offset <= reader.count else { continue }
            try? searchSegment(start + 2..<offset)
        }
        try searchTrailer(offset..<min(reader.count, offset + Self.mostTrailer))
    }

    private mutating func searchSegment(_ content: Range<Int>) throws(CodecError) {
        if try has(Self.exifMark, content) { try searchEXIF(content) }
        if try has(Self.xmpMark, content) { try searchXMP(content.dropFirst(Self.xmpMark.count)) }
        if try has(Self.moreXMPMark, content) {
            let part = content.dropFirst(Self.moreXMPMark.count + Self.moreXMPHead)
            if try tells(part) { blank(part) }
        }
    }

    /// Searches the data after a picture.
    ///
    /// Further pictures have their own segments. A video has an atom with its position, a text such as
    /// "+48.85+002.35/".
    private mutating func searchTrailer(_ trailer: Range<Int>) throws(CodecError) {
        for offset in trailer.dropLast(8) {
            let first = try reader.byte(offset)
            if first == 0xFF, try reader.byte(offset + 1) == 0xE1 {
                let end = offset + 2 + (try reader.big(offset + 2, 2))
                if end <= reader.count, end > offset + 4 { try? searchSegment(offset + 4..<end) }
            } else if first == 0xA9, try reader.matches("xyz", at: offset + 1) {
                let length = try reader.big(offset + 4, 2)
                if length <= 64, try isPosition(offset + 8, length) {
                    blank(offset + 8..<offset + 8 + length)
                }
            }
        }
    }

    private mutating func isPosition(_ offset: Int, _ length: Int) throws(CodecError) -> Bool {
        let bytes = try reader.bytes(offset, length)
        let signs = bytes.count { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
        return signs >= 2 && bytes.allSatisfy { "+-./0123456789".utf8.contains($0) }
    }

    private mutating func searchWebP() throws(CodecError) {
        var offset = 12
        while offset + 8 <= reader.count {
            let length = try reader.little(offset + 4, 4)
            let content = offset + 8..<min(offset + 8 + length, reader.count)
            switch try reader.code(offset) {
            case "EXIF": try? searchEXIF(content)
            case "XMP ": try? searchXMP(content)
            default: break
            }
            offset += 8 + length + length & 1
        }
    }

    private mutating func searchHEIF() throws(CodecError) {
        for item in try HEIFItems.metadata(&reader) {
            for extent in item.extents ?? [] where extent.upperBound <= reader.count {
                guard item.isEXIF else {
                    try? searchXMP(extent)
                    continue
                }
                guard let skipped = try? reader.big(extent.lowerBound, 4), skipped <= extent.count - 4 else {
                    continue
                }
                try? searchEXIF(extent.dropFirst(4 + skipped))
            }
        }
    }

    // MARK: EXIF and XMP

    private mutating func searchTIFF(in bounds: Range<Int>, at offset: Int? = nil) throws(CodecError) {
        let directory = try TIFFDirectory(&reader, in: bounds, at: offset)
        guard directories.count < Self.mostDirectories,
            directory.entries.count <= Self.mostEntries * directory.entryBytes,
            directories.insert(directory.entries.lowerBound).inserted
        else { return }
        let positions = try wipePosition(of: directory)
        if !positions.isEmpty { try remove(positions, from: directory) }
        for tag in Self.below {
            for place in try directory.values(&reader, tag: tag, most: 16) {
                try? searchTIFF(in: bounds, at: place)
            }
        }
        if let field = try directory.field(&reader, tag: Self.xmp), field.size == 1 {
            let end = try ByteReader.position(field.start, plus: field.count)
            if end <= reader.count { try searchXMP(field.start..<end) }
        }
        if directory.next > 0 { try? searchTIFF(in: bounds, at: directory.next) }
    }

    /// Wipes the position directories that `directory` refers to.
    ///
    /// Returns the offsets of the entries that refer to them.
    private mutating func wipePosition(of directory: TIFFDirectory) throws(CodecError) -> [Int] {
        var entries: [Int] = []
        for entry in stride(
            from: directory.entries.lowerBound,
            to: directory.entries.upperBound,
            by: directory.entryBytes
        )
        where try directory.number(&reader, entry, 2) == Self.gps {
            entries.append(entry)
            guard let pointer = try directory.field(&reader, at: entry), pointer.count == 1,
                let place = try? directory.number(&reader, pointer.start, pointer.size),
                let position = try? TIFFDirectory(&reader, in: directory.bounds, at: place),
                position.entries.count <= Self.mostEntries * position.entryBytes
            else { continue }
            for entry in stride(
                from: position.entries.lowerBound,
                to: position.entries.upperBound,
                by: position.entryBytes
            ) {
                guard let field = try? position.field(&reader, at: entry),
                    field.size * field.count <= Self.mostValue
                else {
                    continue
                }
                zero(field.start..<field.start + field.size * field.count)
            }
            zero(position.entries.lowerBound - position.countBytes..<position.entries.upperBound)
        }
        return entries
    }

    /// Writes `directory` without some entries, which leaves room at its end.
    private mutating func remove(_ removed: [Int], from directory: TIFFDirectory) throws(CodecError) {
        let all = Array(
            stride(
                from: directory.entries.lowerBound,
                to: directory.entries.upperBound,
                by: directory.entryBytes
            )
        )
        let count = directory.bytes(of: all.count - removed.count, directory.countBytes)
        var bytes = count
        for entry in all where !removed.contains(entry) {
            bytes += try reader.bytes(entry, directory.entryBytes)
        }
        let next = directory.nextField
        if next.upperBound <= directory.bounds.upperBound {
            bytes += try reader.bytes(next.lowerBound, next.count)
        }
        bytes += [UInt8](repeating: 0, count: removed.count * directory.entryBytes)
        write(bytes, at: directory.entries.lowerBound - directory.countBytes)
    }

    private mutating func searchXMP(_ packet: Range<Int>) throws(CodecError) {
        guard try tells(packet) else { return }
        blank(packet)
        if packet.count >= Self.emptyXMP.count { write(Self.emptyXMP, at: packet.lowerBound) }
    }

    /// Whether a packet contains a location.
    private mutating func tells(_ packet: Range<Int>) throws(CodecError) -> Bool {
        Self.tells(try reader.bytes(packet.lowerBound, packet.count))
    }

    /// Whether `text` contains the words of a location.
    static func tells(_ text: [UInt8]) -> Bool {
        let text = text.map { (65...90).contains($0) ? $0 | 32 : $0 }
        return text.indices.contains { index in
            places.contains { $0[0] == text[index] && text[index...].starts(with: $0) }
        }
    }

    private mutating func has(_ mark: [UInt8], _ content: Range<Int>) throws(CodecError) -> Bool {
        guard content.count > mark.count else { return false }
        return try reader.bytes(content.lowerBound, mark.count) == mark
    }

    private mutating func zero(_ range: Range<Int>) {
        write([UInt8](repeating: 0, count: range.count), at: range.lowerBound)
    }

    /// Overwrites a range with blanks, which are valid in a text, and in XML between elements.
    private mutating func blank(_ range: Range<Int>) {
        write([UInt8](repeating: UInt8(ascii: " "), count: range.count), at: range.lowerBound)
    }

    /// Records bytes to write, unless the file claims more than it has.
    private mutating func write(_ bytes: [UInt8], at start: Int) {
        guard start <= reader.count - bytes.count else { return }
        patches.append((start, bytes))
    }
}
