import CalotypeCore

/// Decodes bitmaps of Windows and OS/2.
struct BMPDecoder {
    private let header: BMPHeader
    private let bytes: [UInt8]
    private let palette: [(UInt8, UInt8, UInt8)]
    /// Whether the fourth byte of a pixel is its alpha, as in icons.
    private let hasPlainAlpha: Bool

    /// The bytes after the last row.
    private var end: Int { header.pixels + header.rowBytes * header.size.height }

    /// Creates a decoder for a file, or for the picture at offset `icon` in an icon.
    init(_ bytes: [UInt8], icon: Int? = nil) throws(CodecError) {
        var reader = ByteReader(bytes)
        header = try BMPHeader(&reader, icon: icon)
        self.bytes = bytes
        hasPlainAlpha = icon != nil && header.bits == 32 && header.compression == .none
        var palette: [(UInt8, UInt8, UInt8)] = []
        for index in 0..<(header.bits <= 8 ? header.palette.count : 0) {
            let start = header.palette.start + index * header.colourBytes
            guard start + 3 <= bytes.count else { break }
            palette.append((bytes[start + 2], bytes[start + 1], bytes[start]))
        }
        self.palette = palette
    }

    /// Decodes the picture; without `isStrict`, missing rows are black or transparent.
    ///
    /// - Throws: `outOfBytes`, `corrupt`.
    func picture(_ isStrict: Bool, _ killSwitch: KillSwitch) throws(CodecError) -> SimplePicture {
        let channels = header.hasAlpha || hasPlainAlpha ? 4 : 3
        var picture = SimplePicture(header.size, channels: channels)
        do throws(CodecError) {
            switch header.compression {
            case .runs: try addRuns(to: &picture, killSwitch)
            case .none, .masks: try addRows(to: &picture, killSwitch)
            }
        } catch {
            guard case .outOfBytes = error, !isStrict else { throw error }
        }
        return picture
    }

    /// Decodes the picture of an icon, with the mask that follows it.
    func icon(_ killSwitch: KillSwitch) throws(CodecError) -> SimplePicture {
        guard header.compression != .runs else { throw .unsupported("its pixels are compressed") }
        var picture = SimplePicture(header.size, channels: 4)
        try addRows(to: &picture, killSwitch)
        guard !hasPlainAlpha || picture.isInvisible else { return picture }
        picture.fillAlpha()
        let rowBytes = (header.size.width + 31) / 32 * 4
        for row in 0..<header.size.height {
            let start = end + row * rowBytes
            // Some programs leave out the mask of an opaque picture.
            guard start + rowBytes <= bytes.count else { break }
            for x in 0..<header.size.width where bytes[start + x / 8] >> (7 - UInt8(x % 8)) & 1 == 1 {
                picture.clear(x, line(row))
            }
        }
        return picture
    }

    /// The row of the picture that is stored as number `row`.
    private func line(_ row: Int) -> Int { header.isTopDown ? row : header.size.height - 1 - row }

    private func addRows(to picture: inout SimplePicture, _ killSwitch: KillSwitch) throws(CodecError) {
        let channels = header.masks.map(Channel.init)
        for row in 0..<header.size.height {
            try killSwitch.checkRow()
            let start = header.pixels + row * header.rowBytes
            guard start + header.rowBytes <= bytes.count else { throw .outOfBytes }
            for x in 0..<header.size.width { addPixel(x, line(row), start, channels, to: &picture) }
        }
    }

    private func addPixel(
        _ x: Int,
        _ y: Int,
        _ rowStart: Int,
        _ channels: [Channel],
        to picture: inout SimplePicture
    ) {
        switch header.bits {
        case 1, 2, 4, 8:
            let perByte = 8 / header.bits
            let shift = 8 - header.bits * (x % perByte + 1)
            let index = Int(bytes[rowStart + x / perByte]) >> shift & (1 << header.bits - 1)
            picture.set(x, y, colour(index))
        case 24:
            let place = rowStart + 3 * x
            picture.set(x, y, (bytes[place + 2], bytes[place + 1], bytes[place]))
        case 16:
            let place = rowStart + 2 * x
            add(Int(bytes[place]) | Int(bytes[place + 1]) << 8, x, y, channels, to: &picture)
        default:
            let place = rowStart + 4 * x
            if header.compression == .none {
                let alpha = hasPlainAlpha ? bytes[place + 3] : 255
                picture.set(x, y, (bytes[place + 2], bytes[place + 1], bytes[place]), alpha: alpha)
            } else {
                let value = (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
                add(value, x, y, channels, to: &picture)
            }
        }
    }

    private func add(
        _ value: Int,
        _ x: Int,
        _ y: Int,
        _ channels: [Channel],
        to picture: inout SimplePicture
    ) {
        picture.set(
            x,
            y,
            (channels[0].level(value), channels[1].level(value), channels[2].level(value)),
            alpha: header.hasAlpha ? channels[3].level(value) : 255
        )
    }

    private func colour(_ index: Int) -> (UInt8, UInt8, UInt8) {
        index < palette.count ? palette[index] : (0, 0, 0)
    }

    /// A channel at some bits of a pixel.
    private struct Channel {
        let shift: Int
        let most: Int

        init(_ mask: Int) {
            shift = mask == 0 ? 0 : mask.trailingZeroBitCount
            most = mask >> shift
        }

        func level(_ value: Int) -> UInt8 {
            most == 0 ? 0 : UInt8(((value >> shift & most) * 255 + most / 2) / most)
        }
    }
}

// Runs, which leave out pixels as they like.
extension BMPDecoder {
    private func addRuns(to picture: inout SimplePicture, _ killSwitch: KillSwitch) throws(CodecError) {
        // What is left out has the first colour.
        for y in 0..<header.size.height {
            for x in 0..<header.size.width { picture.set(x, y, colour(0)) }
        }
        var (offset, x, row) = (header.pixels, 0, 0)
        func put(_ index: Int) {
            if x < header.size.width, row < header.size.height { picture.set(x, line(row), colour(index)) }
            x += 1
        }
        while row < header.size.height {
            let (count, value) = (Int(try byte(offset)), Int(try byte(offset + 1)))
            offset += 2
            switch (count, value) {
            case (0, 0):
                (x, row) = (0, row + 1)
                try killSwitch.checkRow()
            case (0, 1): return
            case (0, 2):
                x += Int(try byte(offset))
                row += Int(try byte(offset + 1))
                offset += 2
            case (0, _):
                for index in 0..<value { put(try literal(offset, index)) }
                // Literal pixels fill a whole number of 16-bit words.
                offset += ((header.bits == 4 ? (value + 1) / 2 : value) + 1) / 2 * 2
            default:
                for index in 0..<count {
                    put(header.bits == 8 ? value : index % 2 == 0 ? value >> 4 : value & 15)
                }
            }
            guard x <= header.size.width + 512 else { throw .corrupt("the BMP has a run beyond its edge") }
        }
    }

    private func literal(_ start: Int, _ index: Int) throws(CodecError) -> Int {
        if header.bits == 8 { return Int(try byte(start + index)) }
        let pair = Int(try byte(start + index / 2))
        return index % 2 == 0 ? pair >> 4 : pair & 15
    }

    private func byte(_ place: Int) throws(CodecError) -> UInt8 {
        guard place < bytes.count else { throw .outOfBytes }
        return bytes[place]
    }
}
