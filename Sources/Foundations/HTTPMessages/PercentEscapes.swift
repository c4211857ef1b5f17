/// Bytes written as a percent sign and two hexadecimal digits (RFC 3986, section 2.1).
package enum PercentEscapes {
    /// The bytes of `text` with its escapes replaced; `nil` if an escape is cut or has other digits.
    package static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// `text` with its escapes replaced; `nil` if an escape is cut or the result is not UTF-8.
    package static func decodedText(_ text: some StringProtocol) -> String? {
        decoded(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// `path` with everything escaped but letters, digits, `-._~` and slashes.
    package static func encodedPath(_ path: String) -> String {
        encoded(path, keeping: "/")
    }

    /// Escapes `text` except letters, digits, `-._~` (RFC 3986, section 2.3) and the characters in `kept`.
    package static func encoded(_ text: String, keeping kept: String = "") -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let plain = Array("-._~\(kept)".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                bytes.append(byte)
            case _ where plain.contains(byte): bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Names and values in the format of queries and forms.
///
/// The format is `application/x-www-form-urlencoded` (URL Standard, section 5).
package enum FormPairs {
    /// Parses the pairs of `text` in order, with plus signs as spaces.
    ///
    /// A pair that is not percent-encoded UTF-8 becomes `nil`.
    package static func decoded(_ text: some Collection<UInt8>) -> [(name: String, value: String)?] {
        text.split(separator: UInt8(ascii: "&")).map { pair in
            let sides = pair.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard let name = side(sides[0]), let value = sides.count == 2 ? side(sides[1]) : "" else {
                return nil
            }
            return (name, value)
        }
    }

    private static func side(_ text: some Collection<UInt8>) -> String? {
        let spaced = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return PercentEscapes.decoded(spaced).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
