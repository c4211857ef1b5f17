/// Reads the description out of ICC profiles (ISO 15076-1).
enum ICCProfile {
    /// The name of the profile in `bytes`: its description, "unnamed" where it has none, `nil` for no bytes.
    static func name(_ bytes: [UInt8]) -> String? {
        guard !bytes.isEmpty else { return nil }
        var reader = ByteReader(bytes)
        let description = try? description(&reader)
        // A damaged profile is no reason to refuse a picture; it is there all the same.
        return description.flatMap { $0.isEmpty ? nil : $0 } ?? "unnamed"
    }

    private static func description(_ reader: inout ByteReader) throws(HeaderFault) -> String {
        let tags = min(try reader.big(128, 4), 200)
        for tag in 0..<tags where try reader.matches("desc", at: 132 + 12 * tag) {
            let offset = try reader.big(136 + 12 * tag, 4)
            return try printable(text(&reader, at: offset))
        }
        return ""
    }

    private static func text(_ reader: inout ByteReader, at offset: Int) throws(HeaderFault) -> String {
        if try reader.matches("mluc", at: offset) {
            let length = min(try reader.big(offset + 20, 4), 256)
            let start = offset + (try reader.big(offset + 24, 4))
            var units: [UInt16] = []
            for i in 0..<length / 2 { units.append(UInt16(try reader.big(start + 2 * i, 2))) }
            return String(decoding: units, as: UTF16.self)
        }
        let length = min(try reader.big(offset + 8, 4), 256)
        return String(decoding: try reader.bytes(offset + 12, length), as: UTF8.self)
    }

    private static func printable(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }.map(Character.init))
    }
}
