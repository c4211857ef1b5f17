import CalotypeCore

/// Reads JPEG streams (ITU-T T.81) up to their frame header, and checks whether they end correctly.
enum JPEGHeader {
    /// More segments before the picture than any camera writes; bounds the cost of a hostile header.
    private static let mostSegments = 10_000
    /// More scans than any encoder writes.
    ///
    /// It bounds the cost of a hostile preview, in which each scan is a pass.
    private static let mostScans = 100
    private static let standalone: Set<Int> = [
        0x00, 0x01, 0xD0, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8,
    ]

    static func facts(_ reader: inout ByteReader) throws(CodecError) -> ImageFacts {
        var orientation: Int?
        var profile: [UInt8] = []
        var offset = 2
        for _ in 0..<mostSegments {
            let (marker, start) = try nextMarker(&reader, from: offset)
            offset = start
            if standalone.contains(marker) { continue }
            if marker == 0xD9 || marker == 0xDA { throw .corrupt("the JPEG has no frame header") }
            let length = try reader.big(start, 2)
            guard length >= 2 else { throw .corrupt("a JPEG segment has a length of \(length)") }
            let content = start + 2..<start + length
            offset = content.upperBound
            if isFrame(marker) {
                return try frame(
                    &reader,
                    marker,
                    content,
                    orientation: orientation ?? 1,
                    profile: ICCProfile.name(profile)
                )
            }
            if marker == 0xE1, orientation == nil { orientation = try exifOrientation(&reader, content) }
            if marker == 0xE2 { profile += try profilePart(&reader, content, after: profile.count) }
        }
        throw .corrupt("the JPEG has more than \(mostSegments) segments before its image")
    }

    /// Adds the EXIF orientation and the profile from between the frame header and the first scan.
    ///
    /// They count only if there were none before the frame header: decoders accept them there too.
    static func readBehindFrame(_ facts: inout ImageFacts, _ reader: inout ByteReader) throws(CodecError) {
        var (hasFrame, hasEXIF) = (false, false)
        var profile: [UInt8] = []
        var offset = 2
        for _ in 0..<mostSegments {
            let (marker, start) = try nextMarker(&reader, from: offset)
            offset = start
            if standalone.contains(marker) { continue }
            if marker == 0xD9 || marker == 0xDA { break }
            let content = try start + 2..<start + max(2, reader.big(start, 2))
            offset = content.upperBound
            hasFrame = hasFrame || isFrame(marker)
            if marker == 0xE1, !hasEXIF, try isEXIF(&reader, content) {
                hasEXIF = true
                if hasFrame { facts.orientation = try exifOrientation(&reader, content) ?? 1 }
            }
            if marker == 0xE2, hasFrame { profile += try profilePart(&reader, content, after: profile.count) }
        }
        facts.profile = facts.profile ?? ICCProfile.name(profile)
    }

    /// The range of the EXIF block without its mark; `nil` if there is no such block before the first scan.
    static func exif(_ reader: inout ByteReader) throws(CodecError) -> Range<Int>? {
        var offset = 2
        for _ in 0..<mostSegments {
            let (marker, start) = try nextMarker(&reader, from: offset)
            offset = start
            if standalone.contains(marker) { continue }
            let content = try start + 2..<start + max(2, reader.big(start, 2))
            offset = content.upperBound
            if marker == 0xD9 || marker == 0xDA { return nil }
            if marker == 0xE1, try isEXIF(&reader, content) {
                return content.lowerBound + 6..<content.upperBound
            }
        }
        return nil
    }

    /// Throws `outOfBytes` if the stream has no end marker after its picture data.
    static func walk(_ reader: inout ByteReader) throws(CodecError) -> Int {
        if reader.count >= 2, try reader.big(reader.count - 2, 2) == 0xFFD9 { return 1 }
        // Cameras and editors append further pictures, video and padding after the end.
        var offset = 2
        while true {
            let (marker, start) = try nextMarker(&reader, from: offset)
            offset = start
            if marker == 0xD9 { return 1 }
            if standalone.contains(marker) { continue }
            offset = try start + max(2, reader.big(start, 2))
        }
    }

    /// Returns the end of the last complete scan in `reader`; `nil` if there is no such scan.
    ///
    /// A scan is complete when the next marker is present. Scans after the first 100 do not count.
    static func lastScanEnd(_ reader: inout ByteReader) -> Int? {
        var end: Int?
        var offset = 2
        var scans = 0
        var isInScan = false
        do throws(CodecError) {
            while scans < mostScans {
                let (marker, start) = try nextMarker(&reader, from: offset)
                offset = start
                if standalone.contains(marker) { continue }
                if isInScan {
                    end = start - 2
                    scans += 1
                }
                if marker == 0xD9 { break }
                isInScan = marker == 0xDA
                offset = try start + max(2, reader.big(start, 2))
            }
            return end
        } catch {
            return end
        }
    }

    private static func isFrame(_ marker: Int) -> Bool {
        (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
    }

    /// Returns the next marker and the offset after it; bytes before it are skipped, as decoders do.
    static func nextMarker(
        _ reader: inout ByteReader,
        from offset: Int
    ) throws(CodecError) -> (marker: Int, end: Int) {
        var offset = offset
        while try reader.byte(offset) != 0xFF { offset += 1 }
        while try reader.byte(offset) == 0xFF { offset += 1 }
        return (try reader.byte(offset), offset + 1)
    }

    private static func frame(
        _ reader: inout ByteReader,
        _ marker: Int,
        _ content: Range<Int>,
        orientation: Int,
        profile: String?
    ) throws(CodecError) -> ImageFacts {
        let bits = try reader.byte(content.lowerBound)
        let height = try reader.big(content.lowerBound + 1, 2)
        let width = try reader.big(content.lowerBound + 3, 2)
        guard width > 0, height > 0 else { throw .corrupt("the JPEG is \(width)x\(height) pixels") }
        guard [0xC0, 0xC1, 0xC2, 0xC9, 0xCA].contains(marker) else {
            throw .unsupported("a lossless or hierarchical JPEG")
        }
        guard bits == 8 else { throw .unsupported("a JPEG with \(bits) bits per channel") }
        return ImageFacts(
            format: .jpeg,
            storedSize: PixelSize(width: width, height: height),
            orientation: orientation,
            needsWholePicture: marker == 0xC2 || marker == 0xCA,
            profile: profile
        )
    }

    private static func isEXIF(_ reader: inout ByteReader, _ content: Range<Int>) throws(CodecError) -> Bool {
        guard content.count > 6 else { return false }
        return try reader.matches("Exif", at: content.lowerBound)
    }

    private static func exifOrientation(
        _ reader: inout ByteReader,
        _ content: Range<Int>
    ) throws(CodecError) -> Int? {
        guard try isEXIF(&reader, content) else { return nil }
        return try TIFFDirectory.orientation(&reader, in: content.lowerBound + 6..<content.upperBound)
    }

    /// The part of the ICC profile in an APP2 segment; nothing once there is enough to find the name.
    private static func profilePart(
        _ reader: inout ByteReader,
        _ content: Range<Int>,
        after gathered: Int
    ) throws(CodecError) -> [UInt8] {
        guard content.count > 14, gathered < 256 << 10 else { return [] }
        guard try reader.matches("ICC_PROFILE", at: content.lowerBound) else { return [] }
        return try reader.bytes(content.lowerBound + 14, content.count - 14)
    }
}
