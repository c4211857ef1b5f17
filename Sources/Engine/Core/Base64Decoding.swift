/// Base64 (RFC 4648, section 4) as it stands in URLs and pages: broken into lines, its padding left out perhaps.
enum Base64Decoding {
    /// The bytes that `text` stands for; `nil` where it is no Base64.
    static func decoded(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var sextets = 0
        var padding = 0
        for character in text where !isBlank(character) {
            if character == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = value(character) else { return nil }
            bits = bits << 6 | value
            sextets += 1
            if sextets % 4 == 0 {
                bytes += [UInt8(bits >> 16 & 255), UInt8(bits >> 8 & 255), UInt8(bits & 255)]
            }
        }
        let left = sextets % 4
        guard left != 1, padding == 0 || (left + padding == 4 && left != 0) else { return nil }
        if left > 1 { bytes.append(UInt8(bits >> (left == 2 ? 4 : 10) & 255)) }
        if left > 2 { bytes.append(UInt8(bits >> 2 & 255)) }
        return bytes
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B
    }

    /// The six bits that a character of the alphabet stands for.
    private static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
