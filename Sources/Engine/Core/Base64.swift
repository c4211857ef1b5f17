/// Base64 (RFC 4648, section 4) of many bytes at once.
package enum Base64 {
    /// `bytes` as a text, padded.
    package static func text(_ bytes: [UInt8]) -> String {
        String(decoding: encode(bytes), as: UTF8.self)
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    /// `bytes` as ASCII, padded.
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
