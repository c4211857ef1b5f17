/// The rules for one line of a list.
enum ListLine {
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The URL in `bytes`, or `nil` for a blank line or a comment.
    static func url(in bytes: [UInt8]) -> String? {
        guard isEntry(bytes), let start = bytes.firstIndex(where: { !isBlank($0) }),
            let end = bytes.lastIndex(where: { !isBlank($0) })
        else { return nil }
        return text(bytes[start...end])
    }

    /// Whether the line is neither blank nor a comment.
    static func isEntry(_ bytes: [UInt8]) -> Bool {
        bytes.first { !isBlank($0) }.map { $0 != UInt8(ascii: "#") } ?? false
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    /// UTF-8 as it is; in other encodings the bytes beyond ASCII are percent-encoded, which is what a server
    /// with such names expects.
    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        let ascii = bytes.flatMap { byte in
            byte < 0x80 ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: ascii, as: UTF8.self)
    }
}
