import CalotypeCore

/// Reads the headers of JPEG XL (ISO/IEC 18181): bare codestreams, and files of boxes.
enum JPEGXLHeader {
    private static let mostBoxes = 1_000
    /// The bytes of the codestream that its size and its metadata may take, without the colour profile.
    private static let headerBytes = 64

    static func facts(_ reader: inout ByteReader) throws(CodecError) -> ImageFacts {
        var bits = JPEGXLBits(try beginning(&reader))
        var facts = ImageFacts(format: .jxl, storedSize: try bits.size(), needsWholePicture: true)
        try bits.readMetadata(&facts)
        return facts
    }

    /// Checks that the boxes are complete; throws `outOfBytes` if the file is truncated.
    ///
    /// A bare codestream shows only in decoding where it ends.
    static func check(_ reader: inout ByteReader) throws(CodecError) {
        guard try reader.big(0, 2) != 0xFF0A else { return }
        var offset = 0
        for _ in 0..<mostBoxes where offset < reader.count {
            let box = try HEIFBox(&reader, at: offset, within: 0..<reader.count)
            guard box.content.upperBound <= reader.count else { throw .outOfBytes }
            offset = box.content.upperBound
        }
    }

    /// The first bytes of the codestream after its mark, as many as there are up to a limit.
    private static func beginning(_ reader: inout ByteReader) throws(CodecError) -> [UInt8] {
        var start = 0
        var end = reader.count
        if try reader.big(0, 2) != 0xFF0A {
            let box = try codestream(&reader)
            (start, end) = (box.lowerBound, min(box.upperBound, reader.count))
        }
        guard try reader.big(start, 2) == 0xFF0A else {
            throw .corrupt("the JPEG XL has no codestream")
        }
        return try reader.bytes(start + 2, max(0, min(headerBytes, end - start - 2)))
    }

    /// The range of the codestream, or of its first part.
    private static func codestream(_ reader: inout ByteReader) throws(CodecError) -> Range<Int> {
        var offset = 0
        for _ in 0..<mostBoxes {
            let box = try HEIFBox(&reader, at: offset, within: HEIFBox.anywhere)
            if box.kind == "jxlc" { return box.content }
            if box.kind == "jxlp", box.content.count > 4 { return box.content.dropFirst(4) }
            offset = box.content.upperBound
        }
        throw .corrupt("the JPEG XL has more than \(mostBoxes) boxes before its image")
    }
}

/// The bits of a codestream's header, the lowest of each byte first.
private struct JPEGXLBits {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The size of the picture as stored (18181-1, SizeHeader).
    mutating func size() throws(CodecError) -> PixelSize {
        let isSmall = try flag()
        let height = try side(isSmall)
        let ratio = try bits(3)
        let width = ratio == 0 ? try side(isSmall) : height * Self.ratios[ratio].0 / Self.ratios[ratio].1
        guard width > 0 else { throw .corrupt("the JPEG XL is \(width) by \(height) pixels") }
        return PixelSize(width: width, height: height)
    }

    /// Reads the orientation, the animation and the channels (18181-1, ImageMetadata).
    mutating func readMetadata(_ facts: inout ImageFacts) throws(CodecError) {
        guard !(try flag()) else { return }
        if try flag() {
            facts.orientation = try bits(3) + 1
            if try flag() { _ = try size() }
            if try flag() { try skipPreview() }
            if try flag() {
                try skipAnimation()
                facts.frames = nil
            }
        }
        facts.bitDepth = try depth()
        _ = try flag()
        let count = try number([(0, 0), (1, 0), (2, 4), (1, 12)])
        guard count > 0 else { return }
        // Alpha is the default of an extra channel.
        facts.hasAlpha = try flag() || count > 1
        if !facts.hasAlpha { facts.hasAlpha = try number([(0, 0), (1, 0), (2, 4), (18, 6)]) == 0 }
    }

    private static let ratios = [(0, 1), (1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]

    private mutating func side(_ isSmall: Bool) throws(CodecError) -> Int {
        isSmall ? 8 * (try bits(5) + 1) : try number([(1, 9), (1, 13), (1, 18), (1, 30)])
    }

    private mutating func skipPreview() throws(CodecError) {
        let isSmall = try flag()
        func side(_ bits: inout Self) throws(CodecError) {
            _ = try bits.number(
                isSmall ? [(16, 0), (32, 0), (1, 5), (33, 9)] : [(1, 6), (65, 8), (321, 10), (1_345, 12)]
            )
        }
        try side(&self)
        if try bits(3) == 0 { try side(&self) }
    }

    private mutating func skipAnimation() throws(CodecError) {
        _ = try number([(100, 0), (1_000, 0), (1, 10), (1, 30)])
        _ = try number([(1, 0), (1_001, 0), (1, 8), (1, 10)])
        _ = try number([(0, 0), (0, 3), (0, 16), (0, 32)])
        _ = try flag()
    }

    private mutating func depth() throws(CodecError) -> Int {
        guard try flag() else { return try number([(8, 0), (10, 0), (12, 0), (1, 6)]) }
        let depth = try number([(32, 0), (16, 0), (24, 0), (1, 6)])
        _ = try bits(4)
        return depth
    }

    private mutating func flag() throws(CodecError) -> Bool { try bits(1) == 1 }

    /// A number in one of four ways: an offset and the number of bits to add.
    private mutating func number(_ ways: [(Int, Int)]) throws(CodecError) -> Int {
        let (offset, count) = ways[try bits(2)]
        return offset + (try bits(count))
    }

    private mutating func bits(_ count: Int) throws(CodecError) -> Int {
        guard offset + count <= bytes.count * 8 else { throw .outOfBytes }
        var value = 0
        for bit in 0..<count {
            let place = offset + bit
            value |= (Int(bytes[place / 8]) >> (place % 8) & 1) << bit
        }
        offset += count
        return value
    }
}
