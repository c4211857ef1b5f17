/// Bytes as text, two lower-case hexadecimal digits each.
package enum Hexadecimal {
    /// The text for `bytes`.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            var place = 0
            for byte in bytes {
                unsafe buffer[place] = digit(byte >> 4)
                unsafe buffer[place + 1] = digit(byte & 15)
                place += 2
            }
            return place
        }
    }

    /// Returns the bytes of `text`, or `nil` unless it consists of pairs of lower-case digits.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for character in text.utf8 {
            guard let value = value(character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
