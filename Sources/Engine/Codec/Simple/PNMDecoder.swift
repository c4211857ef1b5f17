import CalotypeCore

/// Decodes Netpbm's P1 to P6.
///
/// libvips 8.14 does not scale samples to the declared maximum, and takes a truncated text for a whole one.
struct PNMDecoder {
    private let layout: PNMHeader.Layout
    private let bytes: [UInt8]
    /// The 8-bit value of each sample.
    private let levels: [UInt8]
    /// The next byte to read.
    private var offset: Int

    init(_ bytes: [UInt8]) throws(CodecError) {
        var reader = ByteReader(bytes)
        layout = try PNMHeader.layout(&reader)
        self.bytes = bytes
        offset = layout.start
        let (most, isBitmap) = (layout.most, layout.kind == 1)
        levels = (0...most).map { value in
            isBitmap ? (value == 0 ? 255 : 0) : UInt8((value * 255 + most / 2) / most)
        }
    }

    /// Decodes the picture; without `isStrict`, missing samples are black.
    ///
    /// - Throws: `outOfBytes`, `corrupt`.
    mutating func picture(_ isStrict: Bool, _ killSwitch: KillSwitch) throws(CodecError) -> SimplePicture {
        var picture = SimplePicture(layout.size, channels: 3)
        do throws(CodecError) {
            for y in 0..<layout.size.height {
                try killSwitch.checkRow()
                try addRow(y, to: &picture)
            }
        } catch {
            guard case .outOfBytes = error, !isStrict else { throw error }
        }
        return picture
    }

    private mutating func addRow(_ y: Int, to picture: inout SimplePicture) throws(CodecError) {
        let rowStart = offset
        for x in 0..<layout.size.width {
            if layout.kind == 3 {
                let red = try level(rowStart, 3 * x)
                let green = try level(rowStart, 3 * x + 1)
                picture.set(x, y, (red, green, try level(rowStart, 3 * x + 2)))
            } else {
                let grey = try level(rowStart, x)
                picture.set(x, y, (grey, grey, grey))
            }
        }
        if !layout.isText { offset = rowStart + layout.rowBytes }
    }

    /// The 8-bit value of the sample at `index` in the row that begins at `rowStart`.
    private mutating func level(_ rowStart: Int, _ index: Int) throws(CodecError) -> UInt8 {
        let value = layout.isText ? try number() : try stored(rowStart, index)
        return levels[min(value, layout.most)]
    }

    private func stored(_ rowStart: Int, _ index: Int) throws(CodecError) -> Int {
        if layout.kind == 1 { return Int(try byte(rowStart + index / 8)) >> (7 - index % 8) & 1 }
        guard layout.most > 255 else { return Int(try byte(rowStart + index)) }
        return Int(try byte(rowStart + 2 * index)) << 8 | Int(try byte(rowStart + 2 * index + 1))
    }

    /// Reads the next number of a text, which in a bitmap has one digit.
    private mutating func number() throws(CodecError) -> Int {
        var isComment = false
        while case let byte = Int(try byte(offset)), isComment || byte == 0x23 || PNMHeader.isSpace(byte) {
            isComment = byte == 0x23 || isComment && byte != 0x0A && byte != 0x0D
            offset += 1
        }
        var value = 0
        let start = offset
        while offset < bytes.count, (0x30...0x39).contains(bytes[offset]) {
            value = min(value * 10 + Int(bytes[offset]) - 0x30, 1 << 20)
            offset += 1
            if layout.kind == 1 { break }
        }
        guard offset > start else {
            throw .corrupt("the PNM has something else than a number in its samples")
        }
        return value
    }

    private func byte(_ place: Int) throws(CodecError) -> UInt8 {
        guard place < bytes.count else { throw .outOfBytes }
        return bytes[place]
    }
}
