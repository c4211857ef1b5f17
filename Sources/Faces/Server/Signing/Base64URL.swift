/// Base64 with the URL-safe alphabet (RFC 4648, section 5), without padding.
enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )
    /// The six bits of each character; 255 for characters outside the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    /// Encodes `bytes`.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        let alphabet = alphabet
        var characters: [UInt8] = []
        characters.reserveCapacity(bytes.count * 4 / 3 + 3)
        var (bits, count) = (0, 0)
        for byte in bytes {
            bits = (bits & 0xFFFF) << 8 | Int(byte)
            count += 8
            while count >= 6 {
                count -= 6
                characters.append(alphabet[bits >> count & 63])
            }
        }
        if count > 0 { characters.append(alphabet[bits << (6 - count) & 63]) }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Returns `text` without the padding that many encoders append.
    static func withoutPadding(_ text: Substring) -> Substring.UTF8View {
        var digits = text.utf8
        while digits.last == UInt8(ascii: "=") { digits.removeLast() }
        return digits
    }

    /// Decodes `text`; `nil` if it is not valid Base64.
    ///
    /// With `isStrict`, the unused bits must be zero, so that every sequence of bytes has only one encoding.
    static func bytes(_ text: some Collection<UInt8>, isStrict: Bool = false) -> [UInt8]? {
        let values = values
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var (bits, count) = (0, 0)
        for character in text {
            let value = values[Int(character)]
            guard value != 255 else { return nil }
            bits = (bits & 0xFFFF) << 6 | Int(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        // A single character has too few bits for a byte.
        guard count < 6, !isStrict || bits & (1 << count - 1) == 0 else { return nil }
        return bytes
    }
}
