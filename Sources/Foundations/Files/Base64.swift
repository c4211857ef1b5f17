/// Base64 (RFC 4648, section 4).
package enum Base64 {
    /// The padded Base64 text of `bytes`.
    package static func text(_ bytes: [UInt8]) -> String {
        String(decoding: encode(bytes), as: UTF8.self)
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    /// The padded Base64 text of `bytes` as ASCII.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        let alphabet = alphabet
        return unsafe [UInt8](unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { buffer, count in
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let second = start + 1 < bytes.count ? bytes[start + 1] : 0
                let third = start + 2 < bytes.count ? bytes[start + 2] : 0
                let group = Int(bytes[start]) << 16 | Int(second) << 8 | Int(third)
                for digit in 0..<4 { unsafe buffer[count + digit] = alphabet[group >> (18 - 6 * digit) & 63] }
                count += 4
            }
            let missing = (3 - bytes.count % 3) % 3
            for position in 0..<missing { unsafe buffer[count - 1 - position] = UInt8(ascii: "=") }
        }
    }
}

extension Base64 {
    /// The bytes that `text` encodes; `nil` if it is not Base64.
    ///
    /// URLs and pages break it into lines and leave out its padding, so both are accepted.
    package static func decoded(_ text: [UInt8]) -> [UInt8]? {
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
