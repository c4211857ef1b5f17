/// Percent-encoding as AWS signs it: all but letters, digits and `-._~` is escaped, in upper-case digits.
enum SigV4Encoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// A name or a value of a query.
    static func value(_ text: String) -> String {
        encoded(text, keeping: [])
    }

    /// A path, whose slashes stay.
    static func path(_ text: String) -> String {
        encoded(text, keeping: [UInt8(ascii: "/")])
    }

    private static func encoded(_ text: String, keeping kept: Set<UInt8>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isUnreserved(byte) || kept.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }
}
