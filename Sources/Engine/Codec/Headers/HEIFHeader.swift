import CalotypeCore

/// Reads the boxes that the primary picture of a HEIF or AVIF file needs (ISO/IEC 14496-12 and 23008-12).
enum HEIFHeader {
    private static let mostProperties = 10_000
    private static let mostTracks = 100
    private static let alphaKinds: Set<String> = [
        "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
    ]

    static func facts(_ reader: inout ByteReader) throws(CodecError) -> ImageFacts {
        let format = try format(&reader)
        guard let meta = try HEIFBox.find("meta", &reader, in: 0..<Int.max) else {
            throw .corrupt("the \(format.rawValue.uppercased()) has no description of its image")
        }
        // The whole description must be present, since its parts refer to each other.
        _ = try reader.byte(meta.content.upperBound - 1)
        let parts = meta.content.dropFirst(4)
        let properties = try primaryProperties(&reader, parts)
        var facts = ImageFacts(
            format: format,
            storedSize: PixelSize(width: 0, height: 0),
            frames: try isSequence(&reader) ? nil : 1,
            needsWholePicture: true
        )
        var turn = Turn()
        for property in properties { try apply(property, &reader, &facts, &turn) }
        facts.orientation = turn.orientation
        guard facts.storedSize.width > 0, facts.storedSize.height > 0 else {
            throw .corrupt("the \(format.rawValue.uppercased()) is \(facts.storedSize) pixels")
        }
        return facts
    }

    /// Counts the frames of a sequence; throws `outOfBytes` if the file ends within a box.
    static func walk(_ reader: inout ByteReader) throws(CodecError) -> Int {
        var frames = 1
        var offset = 0
        while offset < reader.count {
            let box = try HEIFBox(&reader, at: offset, within: 0..<reader.count)
            guard box.content.upperBound <= reader.count else { throw .outOfBytes }
            if box.kind == "moov" { frames = max(frames, try samples(&reader, box.content)) }
            offset = box.content.upperBound
        }
        return frames
    }

    /// The format according to the brands.
    static func format(_ reader: inout ByteReader) throws(CodecError) -> ImageFormat {
        let box = try HEIFBox(&reader, at: 0, within: 0..<Int.max)
        for offset in stride(from: 8, to: min(box.content.upperBound, 1024), by: 4) where offset != 12 {
            let brand = try reader.code(offset)
            if brand == "avif" || brand == "avis" { return .avif }
            if ["heic", "heix", "hevc", "hevx", "heim", "heis"].contains(brand) { return .heic }
        }
        throw .unsupported("a HEIF file with neither AV1 nor HEVC in it")
    }

    private static func isSequence(_ reader: inout ByteReader) throws(CodecError) -> Bool {
        ["avis", "hevc", "hevx", "msf1"].contains(try reader.code(8))
    }

    /// The properties of the primary item, in the order in which they apply.
    private static func primaryProperties(
        _ reader: inout ByteReader,
        _ parts: Range<Int>
    ) throws(CodecError) -> [HEIFBox] {
        guard let primary = try HEIFBox.find("pitm", &reader, in: parts),
            let properties = try HEIFBox.find("iprp", &reader, in: parts),
            let list = try HEIFBox.find("ipco", &reader, in: properties.content),
            let uses = try HEIFBox.find("ipma", &reader, in: properties.content)
        else { throw .corrupt("the HEIF file has no primary image") }
        let isLong = try reader.byte(primary.content.lowerBound) > 0
        let item = try reader.big(primary.content.lowerBound + 4, isLong ? 4 : 2)
        let all = try HEIFBox.all(&reader, in: list.content, most: mostProperties)
        let own = try indices(&reader, uses.content, of: item)
        // An alpha plane is a separate item, recognised by its `auxC`.
        return own.filter(all.indices.contains).map { all[$0] } + all.filter { $0.kind == "auxC" }
    }

    /// The places in the property list that the association box `content` gives for `item`.
    private static func indices(
        _ reader: inout ByteReader,
        _ content: Range<Int>,
        of item: Int
    ) throws(CodecError) -> [Int] {
        let hasLongItems = try reader.byte(content.lowerBound) > 0
        let hasLongIndices = try reader.byte(content.lowerBound + 3) & 1 == 1
        var offset = content.lowerBound + 8
        for _ in 0..<(try reader.big(content.lowerBound + 4, 4)) {
            guard offset < content.upperBound else { break }
            let id = try reader.big(offset, hasLongItems ? 4 : 2)
            let count = try reader.byte(offset + (hasLongItems ? 4 : 2))
            offset += hasLongItems ? 5 : 3
            let width = hasLongIndices ? 2 : 1
            if id == item {
                var places: [Int] = []
                for i in 0..<count {
                    places.append(
                        (try reader.big(offset + i * width, width) & (hasLongIndices ? 0x7FFF : 0x7F)) - 1
                    )
                }
                return places
            }
            offset += count * width
        }
        return []
    }

    private static func apply(
        _ property: HEIFBox,
        _ reader: inout ByteReader,
        _ facts: inout ImageFacts,
        _ turn: inout Turn
    ) throws(CodecError) {
        let start = property.content.lowerBound
        switch property.kind {
        case "ispe":
            facts.storedSize = PixelSize(
                width: try reader.big(start + 4, 4),
                height: try reader.big(start + 8, 4)
            )
        case "irot": turn.rotate(quarters: try reader.byte(start) & 3)
        case "imir": turn.mirror(topToBottom: try reader.byte(start) & 1 == 1)
        case "pixi": facts.bitDepth = try reader.byte(start + 5)
        case "auxC":
            let name = try reader.bytes(start + 4, min(64, max(0, property.content.count - 4)))
            let kind = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            facts.hasAlpha = facts.hasAlpha || alphaKinds.contains(kind)
        case "colr":
            let kind = try reader.code(start)
            guard kind == "prof" || kind == "rICC" else { break }
            let length = min(property.content.count - 4, 256 << 10)
            facts.profile = ICCProfile.name(try reader.bytes(start + 4, length))
        default: break
        }
    }

    /// The number of samples in the longest track of the movie box `content`.
    private static func samples(_ reader: inout ByteReader, _ content: Range<Int>) throws(CodecError) -> Int {
        var most = 0
        for track in try HEIFBox.all(&reader, in: content, most: mostTracks) where track.kind == "trak" {
            var box: HEIFBox? = track
            for kind in ["mdia", "minf", "stbl", "stsz"] {
                guard let inside = box?.content else { break }
                box = try HEIFBox.find(kind, &reader, in: inside)
            }
            if let table = box { most = max(most, try sampleCount(&reader, table.content)) }
        }
        return most
    }

    /// The number of samples in an `stsz` box.
    ///
    /// It is limited by the room for their sizes or for the samples themselves.
    private static func sampleCount(
        _ reader: inout ByteReader,
        _ table: Range<Int>
    ) throws(CodecError) -> Int {
        let size = try reader.big(table.lowerBound + 4, 4)
        let count = try reader.big(table.lowerBound + 8, 4)
        return min(count, size == 0 ? max(0, table.count - 12) / 4 : reader.count / size)
    }
}

/// A box of the ISO base media file format (ISO/IEC 14496-12).
struct HEIFBox {
    /// Its type, four characters.
    let kind: String
    /// The range of its contents.
    let content: Range<Int>

    /// A file whose end is not known; offsets in it never overflow.
    static let anywhere = 0..<1 << 48

    /// Reads the head of the box at `offset` in the box or file `outer`.
    init(_ reader: inout ByteReader, at offset: Int, within outer: Range<Int>) throws(CodecError) {
        kind = try reader.code(offset + 4)
        var size = try reader.big(offset, 4)
        var head = 8
        if size == 1 {
            size = try reader.big(offset + 8, 8)
            head = 16
        }
        // A size of 0 means up to the end of the enclosing box.
        let end =
            size == 0 ? max(outer.upperBound, offset + head) : try ByteReader.position(offset, plus: size)
        guard end >= offset + head, end <= outer.upperBound || outer.lowerBound == 0 else {
            throw .corrupt("a \(kind.debugDescription) box has a size of \(size)")
        }
        content = offset + head..<end
    }

    /// The first box of type `kind` in `outer`; throws `outOfBytes` if the bytes end before one is found.
    static func find(
        _ kind: String,
        _ reader: inout ByteReader,
        in outer: Range<Int>
    ) throws(CodecError) -> HEIFBox? {
        var offset = outer.lowerBound
        while offset < outer.upperBound {
            let box = try HEIFBox(&reader, at: offset, within: outer)
            if box.kind == kind { return box }
            offset = box.content.upperBound
        }
        return nil
    }

    /// The boxes in `outer`, at most `most` of them.
    static func all(
        _ reader: inout ByteReader,
        in outer: Range<Int>,
        most: Int
    ) throws(CodecError) -> [HEIFBox] {
        var boxes: [HEIFBox] = []
        var offset = outer.lowerBound
        while offset < outer.upperBound, boxes.count < most {
            let box = try HEIFBox(&reader, at: offset, within: outer)
            boxes.append(box)
            offset = box.content.upperBound
        }
        return boxes
    }
}
