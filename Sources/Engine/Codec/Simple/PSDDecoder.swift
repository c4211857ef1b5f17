import CalotypeCore

/// Decodes the merged image of Photoshop documents.
struct PSDDecoder {
    private let header: PSDHeader
    private var reader: ByteReader

    init(_ reader: ByteReader) throws(CodecError) {
        self.reader = reader
        header = try PSDHeader(&self.reader)
    }

    /// Decodes the picture.
    ///
    /// A truncated file is an error: its channels follow each other, so whole colours would be missing.
    ///
    /// - Throws: `outOfBytes`, `corrupt`.
    mutating func picture(_ killSwitch: KillSwitch) throws(CodecError) -> SimplePicture {
        let profile = try reader.bytes(header.profile.lowerBound, header.profile.count)
        let channels = header.mode == .indexed ? 3 : header.usedChannels
        var picture = SimplePicture(
            header.size,
            channels: channels,
            isInInks: header.mode == .inks,
            profile: profile
        )
        let palette = header.mode == .indexed ? try reader.bytes(PSDHeader.palette, 768) : []
        var offset = header.firstRow
        for channel in 0..<header.usedChannels {
            for (y, length) in try header.rowLengths(of: channel, &reader).enumerated() {
                try killSwitch.checkRow()
                let row = try row(at: offset, length)
                offset += length
                for x in 0..<header.size.width {
                    if palette.isEmpty {
                        picture.set(x, y, channel: channel, to: level(row, x))
                    } else {
                        let index = Int(row[x])
                        picture.set(x, y, (palette[index], palette[256 + index], palette[512 + index]))
                    }
                }
            }
        }
        if header.hasAlpha { picture.removeWhite() }
        return picture
    }

    /// The samples of the row that is stored in `length` bytes at `offset`.
    private mutating func row(at offset: Int, _ length: Int) throws(CodecError) -> [UInt8] {
        let stored = try reader.bytes(offset, length)
        guard header.isPacked else { return stored }
        var row: [UInt8] = []
        row.reserveCapacity(header.rowBytes + 128)
        var place = 0
        // Runs by PackBits: 0 to 127 announce up to 128 bytes, 129 to 255 repeat one.
        while row.count < header.rowBytes, place + 1 < stored.count {
            let head = Int(stored[place])
            if head < 128 {
                row += stored[place + 1..<min(place + head + 2, stored.count)]
                place += head + 2
            } else {
                if head > 128 { row += repeatElement(stored[place + 1], count: 257 - head) }
                place += head == 128 ? 1 : 2
            }
        }
        guard row.count >= header.rowBytes else { throw .corrupt("the PSD has a row that is too short") }
        return row
    }

    /// The sample at `x`, in 8 bits.
    private func level(_ row: [UInt8], _ x: Int) -> UInt8 {
        switch header.bits {
        // In a bitmap, 1 is black.
        case 1: return row[x / 8] >> (7 - UInt8(x % 8)) & 1 == 1 ? 0 : 255
        case 8: return header.mode == .inks ? 255 - row[x] : row[x]
        default:
            let level = UInt8((Int(row[2 * x]) << 8 + Int(row[2 * x + 1]) + 128) / 257)
            return header.mode == .inks ? 255 - level : level
        }
    }
}

extension SimplePicture {
    /// Removes the white that Photoshop blends into partly transparent pixels of the merged image.
    fileprivate mutating func removeWhite() {
        for pixel in 0..<size.pixelCount {
            let alpha = Int(samples[pixel * channels + channels - 1])
            guard (1..<255).contains(alpha) else { continue }
            change(pixel) { UInt8(min(max(Int($0) - 255 + alpha, 0) * 255 / alpha, 255)) }
        }
    }
}
