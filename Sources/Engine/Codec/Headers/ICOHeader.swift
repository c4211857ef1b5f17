import CalotypeCore

/// Reads the directory of an icon of Windows, whose pictures are PNG files or bitmaps.
struct ICOHeader {
    /// One picture of the icon.
    struct Entry {
        let size: PixelSize
        let bits: Int
        /// The range of the picture in the file.
        let content: Range<Int>
        let isPNG: Bool

        static func < (left: Self, right: Self) -> Bool {
            (left.size.pixelCount, left.bits) < (right.size.pixelCount, right.bits)
        }
    }

    /// The largest picture, of those with the most colours.
    let largest: Entry

    /// The maximum number of pictures to examine; programs write about ten.
    private static let mostEntries = 64
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47]

    static func facts(_ reader: inout ByteReader) throws(CodecError) -> ImageFacts {
        ImageFacts(
            format: .ico,
            storedSize: try ICOHeader(&reader).largest.size,
            needsWholePicture: true,
            hasAlpha: true
        )
    }

    /// Checks that the largest picture is there; throws `outOfBytes` if the file is truncated.
    static func check(_ reader: inout ByteReader) throws(CodecError) {
        guard try ICOHeader(&reader).largest.content.upperBound <= reader.count else { throw .outOfBytes }
    }

    init(_ reader: inout ByteReader) throws(CodecError) {
        let count = try reader.little(4, 2)
        guard count > 0 else { throw .corrupt("the ICO has no pictures") }
        var largest: Entry?
        var refusal = CodecError.corrupt("the ICO has no picture that can be read")
        for index in 0..<min(count, Self.mostEntries) {
            do throws(CodecError) {
                let entry = try Self.entry(&reader, at: 6 + 16 * index)
                if largest.map({ $0 < entry }) ?? true { largest = entry }
            } catch {
                // The others may be intact; a file that is still arriving must be complete first.
                if case .outOfBytes = error { throw error }
                refusal = error
            }
        }
        guard let largest else { throw refusal }
        self.largest = largest
    }

    private static func entry(_ reader: inout ByteReader, at offset: Int) throws(CodecError) -> Entry {
        let length = try reader.little(offset + 8, 4)
        let start = try reader.little(offset + 12, 4)
        guard length >= 16 else { throw .corrupt("the ICO has a picture of \(length) bytes") }
        let content = start..<start + length
        guard try reader.bytes(start, 4) == png else {
            let header = try BMPHeader(&reader, icon: start)
            return Entry(size: header.size, bits: header.bits, content: content, isPNG: false)
        }
        let size = PixelSize(width: try reader.big(start + 16, 4), height: try reader.big(start + 20, 4))
        guard size.width > 0, size.height > 0, size.width < 1 << 31, size.height < 1 << 31 else {
            throw .corrupt("the ICO has a PNG of \(size) pixels")
        }
        return Entry(size: size, bits: 32, content: content, isPNG: true)
    }
}
