/// A box of the ISO base media file format (ISO/IEC 14496-12).
struct HEIFBox {
    /// Its type, four characters.
    let kind: String
    /// Where its contents lie.
    let content: Range<Int>

    /// Reads the head of the box at `offset` in the box or file that `outer` is.
    init(_ reader: inout ByteReader, at offset: Int, within outer: Range<Int>) throws(HeaderFault) {
        kind = try reader.code(offset + 4)
        var size = try reader.big(offset, 4)
        var head = 8
        if size == 1 {
            size = try reader.big(offset + 8, 8)
            head = 16
        }
        // A size of 0 means up to the end of what is around it.
        let end =
            size == 0 ? max(outer.upperBound, offset + head) : try ByteReader.position(offset, plus: size)
        guard end >= offset + head, end <= outer.upperBound || outer.lowerBound == 0 else {
            throw .corrupt("a \(kind.debugDescription) box has a size of \(size)")
        }
        content = offset + head..<end
    }

    /// The first box of type `kind` in `outer`; throws `outOfBytes` where the bytes end before one is found.
    static func find(
        _ kind: String,
        _ reader: inout ByteReader,
        in outer: Range<Int>
    ) throws(HeaderFault) -> HEIFBox? {
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
    ) throws(HeaderFault) -> [HEIFBox] {
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
