import CalotypeCPNGShim

/// Reads the ICC profiles of iCCP chunks (PNG specification, third edition, 11.3.2.3).
enum PNGProfile {
    /// The fewest bytes of a profile: its header and the number of its tags.
    private static let headBytes = 132
    /// No profile that a picture on the web has is longer.
    private static let mostBytes = 4 << 20

    /// The profile in `content`, or nothing where it is damaged or not for pictures of `colour`: it is ignored then, by the
    /// same rules as libpng's.
    ///
    /// - Throws: `PNGChunks.Oddity` for a profile that is too long.
    static func inflated(_ content: [UInt8], for colour: PNGPixels.Colour) throws -> [UInt8] {
        guard let end = content.prefix(80).firstIndex(of: 0), end > 0, content.count >= end + 13,
            content[end + 1] == 0
        else { return [] }
        let compressed = Array(content.dropFirst(end + 2))
        let head = inflated(compressed, capacity: headBytes)
        var reader = ByteReader(head)
        guard let length = try? reader.big(0, 4), length >= headBytes else { return [] }
        guard length <= mostBytes else { throw PNGChunks.Oddity.reason("large colour profile") }
        let profile = inflated(compressed, capacity: length)
        reader = ByteReader(profile)
        guard profile.count == length, (try? isSound(&reader, colour)) == true else { return [] }
        return profile
    }

    private static func inflated(_ bytes: [UInt8], capacity: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = unsafe cpng_inflate(bytes, bytes.count, buffer.baseAddress, capacity)
        }
    }

    /// Whether the profile (ISO 15076-1, 7.2) is one of a device, for pictures of `colour`, with all tags inside it.
    private static func isSound(
        _ reader: inout ByteReader,
        _ colour: PNGPixels.Colour
    ) throws(HeaderFault) -> Bool {
        let isGrey = colour == .grey || colour == .greyAlpha
        let tags = try reader.big(128, 4)
        guard try reader.matches("acsp", at: 36), try reader.matches(isGrey ? "GRAY" : "RGB ", at: 16),
            try ["scnr", "mntr", "prtr", "spac"].contains(reader.code(12)),
            try ["XYZ ", "Lab "].contains(reader.code(20)),
            try reader.byte(8) <= 3 || reader.count % 4 == 0, try reader.big(64, 4) < 0xFFFF,
            tags <= (reader.count - headBytes) / 12
        else { return false }
        for tag in 0..<tags {
            let start = try reader.big(headBytes + 12 * tag + 4, 4)
            guard start + (try reader.big(headBytes + 12 * tag + 8, 4)) <= reader.count else { return false }
        }
        return true
    }
}
