/// An image file directory of TIFF 6.0 or BigTIFF, which EXIF also uses.
struct TIFFDirectory {
    /// The range of the file or the EXIF block in the reader; offsets are counted from its start.
    let bounds: Range<Int>
    private let isBig: Bool
    let isLittle: Bool
    /// The range of the entries, after their number.
    let entries: Range<Int>
    /// The bytes of an entry, and of the number of entries.
    var entryBytes: Int { isBig ? 20 : 12 }
    var countBytes: Int { isBig ? 8 : 2 }
    /// The range of the following directory's offset.
    var nextField: Range<Int> { entries.upperBound..<entries.upperBound + (isBig ? 8 : 4) }
    /// The offset of the following directory, 0 for none; the EXIF blocks of some writers end before it.
    let next: Int

    /// The first directory is at the start of a block; previews and makers' notes follow.
    private static let mostEXIFBytes = 64 << 10
    private static let typeSizes = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 18: 8,
    ]

    /// Reads the directory at `offset`, or the first.
    init(
        _ reader: inout ByteReader,
        in bounds: Range<Int>,
        at offset: Int? = nil
    ) throws(CodecError) {
        self.bounds = bounds
        let order = try reader.big(bounds.lowerBound, 2)
        guard order == 0x4949 || order == 0x4D4D else { throw .corrupt("the TIFF has no byte order") }
        isLittle = order == 0x4949
        isBig = try Self.number(&reader, bounds.lowerBound + 2, 2, isLittle) == 43
        let word = isBig ? 8 : 4
        let first = try Self.number(&reader, bounds.lowerBound + word, word, isLittle)
        let place = try ByteReader.position(bounds.lowerBound, plus: offset ?? first)
        guard place < bounds.upperBound else { throw .outOfBytes }
        let countLength = isBig ? 8 : 2
        let count = try Self.number(&reader, place, countLength, isLittle)
        guard (0...65_535).contains(count) else { throw .corrupt("a TIFF directory has \(count) entries") }
        entries = place + countLength..<place + countLength + count * (isBig ? 20 : 12)
        let hasNext = entries.upperBound + word <= bounds.upperBound
        next = hasNext ? try Self.number(&reader, entries.upperBound, word, isLittle) : 0
    }

    /// The EXIF orientation in the block at `bounds`; 1 if it is missing or invalid.
    ///
    /// - Throws: `outOfBytes` only if the block itself is incomplete.
    static func orientation(_ reader: inout ByteReader, in bounds: Range<Int>) throws(CodecError) -> Int {
        let block = try reader.bytes(bounds.lowerBound, min(bounds.count, mostEXIFBytes))
        var inner = ByteReader(block)
        // An invalid block, or one that points outside itself, counts as missing.
        guard let directory = try? TIFFDirectory(&inner, in: 0..<block.count) else { return 1 }
        return directory.orientation(&inner)
    }

    /// The orientation in this directory; 1 if it is missing or invalid.
    func orientation(_ reader: inout ByteReader) -> Int {
        let value = try? values(&reader, tag: 274, most: 1).first
        return value.map { (1...8).contains($0) ? $0 : 1 } ?? 1
    }

    /// The first `most` numbers of `tag`; none if it is missing.
    func values(_ reader: inout ByteReader, tag: Int, most: Int) throws(CodecError) -> [Int] {
        guard let field = try field(&reader, tag: tag) else { return [] }
        var values: [Int] = []
        for i in 0..<min(field.count, most) {
            values.append(try Self.number(&reader, field.start + i * field.size, field.size, isLittle))
        }
        return values
    }

    /// The range of the contents of `tag`.
    func field(
        _ reader: inout ByteReader,
        tag: Int
    ) throws(CodecError) -> (start: Int, size: Int, count: Int)? {
        for entry in stride(from: entries.lowerBound, to: entries.upperBound, by: entryBytes)
        where try number(&reader, entry, 2) == tag {
            return try field(&reader, at: entry)
        }
        return nil
    }

    /// The range of the contents of the entry at `entry`; `nil` for an unknown type.
    func field(
        _ reader: inout ByteReader,
        at entry: Int
    ) throws(CodecError) -> (start: Int, size: Int, count: Int)? {
        let word = isBig ? 8 : 4
        let count = try number(&reader, entry + 4, word)
        guard let size = Self.typeSizes[try number(&reader, entry + 2, 2)], count <= 1 << 40 else {
            return nil
        }
        let inline = entry + 4 + word
        if size * count <= word { return (inline, size, count) }
        let offset = try number(&reader, inline, word)
        return (try ByteReader.position(bounds.lowerBound, plus: offset), size, count)
    }

    /// The number in the `length` bytes at `offset`, in this file's byte order.
    func number(_ reader: inout ByteReader, _ offset: Int, _ length: Int) throws(CodecError) -> Int {
        try Self.number(&reader, offset, length, isLittle)
    }

    /// Returns `number` in `length` bytes, in this file's byte order.
    func bytes(of number: Int, _ length: Int) -> [UInt8] {
        isLittle ? [UInt8](little: number, length) : [UInt8](big: number, length)
    }

    private static func number(
        _ reader: inout ByteReader,
        _ offset: Int,
        _ length: Int,
        _ isLittle: Bool
    ) throws(CodecError) -> Int {
        isLittle ? try reader.little(offset, length) : try reader.big(offset, length)
    }
}
