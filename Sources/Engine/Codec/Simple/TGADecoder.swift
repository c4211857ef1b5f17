import CalotypeCore

/// Decodes Targa files.
struct TGADecoder {
    private typealias Pixel = (colour: (UInt8, UInt8, UInt8), alpha: UInt8)

    private let header: TGAHeader
    private var reader: ByteReader
    private var palette: [Pixel] = []

    init(_ reader: ByteReader) throws(CodecError) {
        self.reader = reader
        header = try TGAHeader(&self.reader)
        guard header.kind == .indexed else { return }
        let count = header.palette.count
        let bytes = try self.reader.bytes(header.palette.start, count * header.paletteBytes)
        palette = (0..<count).map { Self.colour(bytes, $0 * header.paletteBytes, header.palette.bits) }
    }

    /// Decodes the picture; without `isStrict`, missing pixels are black or transparent.
    ///
    /// - Throws: `outOfBytes`, `corrupt`.
    mutating func picture(_ isStrict: Bool, _ killSwitch: KillSwitch) throws(CodecError) -> SimplePicture {
        var picture = SimplePicture(header.size, channels: header.hasAlpha ? 4 : 3)
        do throws(CodecError) {
            try addPixels(to: &picture, killSwitch)
        } catch {
            guard case .outOfBytes = error, !isStrict else { throw error }
        }
        // The file says that there is no alpha, and what is there makes no sense.
        if header.hasAlpha, header.alphaBits == 0, picture.isInvisible { picture.fillAlpha() }
        return picture
    }

    private mutating func addPixels(
        to picture: inout SimplePicture,
        _ killSwitch: KillSwitch
    ) throws(CodecError) {
        let (most, length) = (header.size.pixelCount, header.pixelBytes)
        var (offset, done) = (header.pixels, 0)
        while done < most {
            try killSwitch.checkRow()
            var (count, isRun) = (header.size.width, false)
            if header.isPacked {
                let head = try reader.byte(offset)
                (count, isRun) = (head & 0x7F + 1, head > 0x7F)
                offset += 1
            }
            let bytes = try reader.bytes(offset, (isRun ? 1 : count) * length)
            offset += bytes.count
            // Runs may go on in the next row, but not beyond the last.
            count = min(count, most - done)
            for number in 0..<count {
                add(pixel(bytes, isRun ? 0 : number * length), done + number, to: &picture)
            }
            done += count
        }
    }

    private func add(_ pixel: Pixel, _ index: Int, to picture: inout SimplePicture) {
        let (row, column) = index.quotientAndRemainder(dividingBy: header.size.width)
        let x = header.isMirrored ? header.size.width - 1 - column : column
        let y = header.isTopDown ? row : header.size.height - 1 - row
        picture.set(x, y, pixel.colour, alpha: pixel.alpha)
    }

    private func pixel(_ bytes: [UInt8], _ place: Int) -> Pixel {
        switch header.kind {
        case .indexed:
            let index = Int(bytes[place]) - header.palette.first
            return palette.indices.contains(index) ? palette[index] : ((0, 0, 0), 255)
        case .grey:
            let level = bytes[place]
            return ((level, level, level), header.bits == 16 ? bytes[place + 1] : 255)
        case .colours: return Self.colour(bytes, place, header.bits)
        }
    }

    /// The colour at `place`: blue, green, red and perhaps alpha, of 8 bits or of 5 and 1.
    private static func colour(_ bytes: [UInt8], _ place: Int, _ bits: Int) -> Pixel {
        guard bits <= 16 else {
            let alpha = bits == 32 ? bytes[place + 3] : 255
            return ((bytes[place + 2], bytes[place + 1], bytes[place]), alpha)
        }
        let value = Int(bytes[place]) | Int(bytes[place + 1]) << 8
        func level(_ shift: Int) -> UInt8 { UInt8(((value >> shift & 31) * 255 + 15) / 31) }
        return ((level(10), level(5), level(0)), value >> 15 == 1 ? 255 : 0)
    }
}
