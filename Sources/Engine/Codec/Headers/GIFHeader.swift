import CalotypeCore

/// Reads GIF files (version 89a) block by block.
enum GIFHeader {
    /// The findings of a pass over the blocks.
    private struct Tally {
        var frames = 0
        var isTransparent = false
        var firstFrame = PixelSize(width: 0, height: 0)
    }

    private static let mostExtensions = 10_000

    /// Reads up to the first frame.
    ///
    /// Its edges widen a canvas that is too small for it, as decoders do.
    static func facts(_ reader: inout ByteReader) throws(CodecError) -> ImageFacts {
        var tally = Tally()
        _ = try blocks(&reader, &tally, frames: 1)
        guard tally.frames > 0 else { throw .corrupt("the GIF has no image") }
        let width = max(try reader.little(6, 2), tally.firstFrame.width)
        let height = max(try reader.little(8, 2), tally.firstFrame.height)
        guard width > 0, height > 0 else { throw .corrupt("the GIF is \(width)x\(height) pixels") }
        return ImageFacts(
            format: .gif,
            storedSize: PixelSize(width: width, height: height),
            frames: nil,
            needsWholePicture: true,
            hasAlpha: tally.isTransparent
        )
    }

    /// Counts the frames; throws `outOfBytes` if the file ends within a block.
    static func walk(_ reader: inout ByteReader) throws(CodecError) -> Int {
        var tally = Tally()
        let end = try blocks(&reader, &tally, frames: .max)
        guard end <= reader.count else { throw .outOfBytes }
        return tally.frames
    }

    /// Reads blocks until the trailer or until `frames` frames have begun.
    ///
    /// Returns the offset where it stopped.
    private static func blocks(
        _ reader: inout ByteReader,
        _ tally: inout Tally,
        frames: Int
    ) throws(CodecError) -> Int {
        var offset = 13 + tableLength(flags: try reader.byte(10))
        var extensions = 0
        while true {
            // Some encoders omit the trailer: a file that ends between two blocks is complete.
            if offset == reader.count, tally.frames > 0 { return offset }
            switch try reader.byte(offset) {
            case 0x3B: return offset + 1
            case 0x21:
                if tally.frames == 0 { try readControl(&reader, offset, &tally) }
                offset = try endOfParts(&reader, from: offset + 2)
                extensions += 1
                guard frames > 1 || extensions < mostExtensions else {
                    throw .corrupt("the GIF has more than \(mostExtensions) extensions before its image")
                }
            case 0x2C:
                let flags = try reader.byte(offset + 9)
                if tally.frames == 0 { tally.firstFrame = try edges(&reader, offset) }
                tally.frames += 1
                if tally.frames == frames { return offset }
                offset = try endOfParts(&reader, from: offset + 11 + tableLength(flags: flags))
            case let other:
                if tally.frames > 0 { return offset }
                throw .corrupt("the GIF has a block of unknown type \(other)")
            }
        }
    }

    /// The bytes of the colour table described by `flags`.
    static func tableLength(flags: Int) -> Int {
        flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1)
    }

    private static func readControl(
        _ reader: inout ByteReader,
        _ offset: Int,
        _ tally: inout Tally
    ) throws(CodecError) {
        guard try reader.byte(offset + 1) == 0xF9 else { return }
        tally.isTransparent = try reader.byte(offset + 3) & 1 == 1
    }

    private static func edges(_ reader: inout ByteReader, _ offset: Int) throws(CodecError) -> PixelSize {
        PixelSize(
            width: try reader.little(offset + 1, 2) + reader.little(offset + 5, 2),
            height: try reader.little(offset + 3, 2) + reader.little(offset + 7, 2)
        )
    }

    /// The offset after a chain of parts, each preceded by its length.
    static func endOfParts(_ reader: inout ByteReader, from start: Int) throws(CodecError) -> Int {
        var offset = start
        while true {
            let length = try reader.byte(offset)
            offset += 1 + length
            if length == 0 { return offset }
        }
    }
}
