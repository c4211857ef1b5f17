/// Wipes metadata out of AVIF and HEIC files (ISO/IEC 23008-12), where everything stays in its place.
///
/// The offsets of a file's parts are written down in it, so that nothing can be taken out without changing others; the bytes
/// of metadata become zeros and their items lose their kind, and so are nobody's.
enum HEIFStripping {
    /// The boxes of a file that holds nothing but pictures and what belongs to them.
    private static let kept: Set = ["ftyp", "meta", "mdat", "idat", "free", "skip"]
    private static let mostBoxes = 1000
    private static let mostProfileBytes = 4 << 20

    /// The file with its metadata wiped out; `nil` for a sequence, and where it is not built as it should be.
    static func stripped(_ file: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(file)
        return try? wiped(file, &reader)
    }

    /// The first profile of `reader`; empty if it has no profile.
    static func profile(_ reader: inout ByteReader) throws(HeaderFault) -> [UInt8] {
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

    private static func wiped(_ file: [UInt8], _ reader: inout ByteReader) throws(HeaderFault) -> [UInt8] {
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
