/// Wipes metadata in AVIF and HEIC files (ISO/IEC 23008-12) without moving anything.
///
/// A file contains the offsets of its parts, so nothing can be removed without changing others. Metadata is
/// overwritten with zeros, and its items lose their kind and so their meaning.
enum HEIFStripping {
    /// The boxes of a file that contains only pictures and their data.
    private static let kept: Set = ["ftyp", "meta", "mdat", "idat", "free", "skip"]
    private static let mostBoxes = 1000
    private static let mostProfileBytes = 4 << 20

    /// Returns the file with its metadata wiped; `nil` for a sequence, and if its structure is invalid.
    static func stripped(_ file: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(file)
        return try? wiped(file, &reader)
    }

    /// The first profile in `reader`; empty if there is none.
    static func profile(_ reader: inout ByteReader) throws(CodecError) -> [UInt8] {
        guard let meta = try HEIFBox.find("meta", &reader, in: 0..<reader.count),
            let properties = try HEIFBox.find("iprp", &reader, in: meta.content.dropFirst(4)),
            let list = try HEIFBox.find("ipco", &reader, in: properties.content)
        else { return [] }
        for box in try HEIFBox.all(&reader, in: list.content, most: mostBoxes) where box.kind == "colr" {
            let kind = try reader.code(box.content.lowerBound)
            guard kind == "prof" || kind == "rICC" else { continue }
            return try reader.bytes(box.content.lowerBound + 4, min(box.content.count - 4, mostProfileBytes))
        }
        return []
    }

    private static func wiped(_ file: [UInt8], _ reader: inout ByteReader) throws(CodecError) -> [UInt8] {
        let boxes = try HEIFBox.all(&reader, in: 0..<file.count, most: mostBoxes)
        guard boxes.allSatisfy({ kept.contains($0.kind) && $0.content.upperBound <= file.count }),
            boxes.count < mostBoxes
        else { throw .unsupported("a file of more than pictures") }
        var file = file
        for item in try HEIFItems.metadata(&reader) {
            guard let extents = item.extents else { throw .unsupported("metadata in another place") }
            for extent in extents {
                guard extent.upperBound <= file.count else { throw .outOfBytes }
                for index in extent { file[index] = 0 }
            }
            file.replaceSubrange(item.kind, with: "skip".utf8)
        }
        return file
    }
}

/// The items of a HEIF file that are metadata (ISO/IEC 14496-12, 8.11).
enum HEIFItems {
    /// EXIF or XMP beside a picture.
    struct Item {
        /// The range of its type.
        let kind: Range<Int>
        /// Whether it is EXIF, which begins with the number of bytes before its block.
        let isEXIF: Bool
        /// The ranges of its bytes; `nil` if they are in another file or item.
        let extents: [Range<Int>]?
    }

    private static let mostItems = 10_000
    private static let mostExtents = 1000

    /// The items in `reader` that are metadata.
    static func metadata(_ reader: inout ByteReader) throws(CodecError) -> [Item] {
        guard let meta = try HEIFBox.find("meta", &reader, in: 0..<reader.count),
            case let parts = meta.content.dropFirst(4),
            let infos = try HEIFBox.find("iinf", &reader, in: parts)
        else { return [] }
        let isLong = try reader.byte(infos.content.lowerBound) > 0
        let entries = infos.content.dropFirst(isLong ? 8 : 6)
        var found: [Int: Item] = [:]
        for info in try HEIFBox.all(&reader, in: entries, most: mostItems) where info.kind == "infe" {
            let start = info.content.lowerBound
            let version = try reader.byte(start)
            guard version >= 2 else { throw .unsupported("items of an old version") }
            let kind = start + (version == 2 ? 8 : 10)
            let name = try reader.code(kind)
            guard name == "Exif" || name == "mime" || name == "uri " else { continue }
            let number = try reader.big(start + 4, version == 2 ? 2 : 4)
            found[number] = Item(kind: kind..<kind + 4, isEXIF: name == "Exif", extents: nil)
        }
        guard !found.isEmpty else { return [] }
        let places = try places(&reader, parts)
        return found.map { Item(kind: $1.kind, isEXIF: $1.isEXIF, extents: places[$0]) }
    }

    /// The ranges of the items, by number, according to `iloc`; items outside the file itself are left out.
    private static func places(
        _ reader: inout ByteReader,
        _ parts: Range<Int>
    ) throws(CodecError) -> [Int: [Range<Int>]] {
        guard let box = try HEIFBox.find("iloc", &reader, in: parts) else { return [:] }
        let version = try reader.byte(box.content.lowerBound)
        guard version <= 2 else { return [:] }
        var offset = box.content.lowerBound + 4
        func number(_ length: Int) throws(CodecError) -> Int {
            defer { offset += length }
            return try reader.big(offset, length)
        }
        let sizes = try number(2)
        let (offsetSize, lengthSize) = (sizes >> 12, sizes >> 8 & 15)
        let (baseSize, indexSize) = (sizes >> 4 & 15, version > 0 ? sizes & 15 : 0)
        guard [offsetSize, lengthSize, baseSize, indexSize].allSatisfy({ $0 <= 8 }) else { return [:] }
        let inner = try HEIFBox.find("idat", &reader, in: parts)?.content.lowerBound
        var places: [Int: [Range<Int>]] = [:]
        for _ in 0..<min(try number(version == 2 ? 4 : 2), mostItems) {
            let item = try number(version == 2 ? 4 : 2)
            let method = version > 0 ? try number(2) & 15 : 0
            let isHere = try number(2) == 0
            let base = try number(baseSize)
            let count = try number(2)
            guard count <= mostExtents else { return [:] }
            var extents: [Range<Int>] = []
            for _ in 0..<count {
                _ = try number(indexSize)
                let start = try ByteReader.position(base, plus: number(offsetSize))
                let length = try number(lengthSize)
                let place = try ByteReader.position(method == 1 ? inner ?? 0 : 0, plus: start)
                extents.append(place..<(try ByteReader.position(place, plus: length)))
            }
            // A length of 0 means all of the file.
            let isPlain = method == 0 || method == 1 && inner != nil
            if isHere, isPlain, extents.allSatisfy({ !$0.isEmpty }) { places[item] = extents }
        }
        return places
    }
}
