internal import CalotypeCore
internal import CalotypeHTTP

extension WebURL {
    /// The URL of the file `name` in the folder that this one is, whether it ends in a slash or not.
    func appending(_ name: String) throws(CalotypeError) -> WebURL {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let folder = parts[0].hasSuffix("/") ? parts[0] : parts[0] + "/"
        let query = parts.count > 1 ? "?\(parts[1])" : ""
        return try WebURL(folder + Self.escaped(name) + query)
    }

    /// The text without its query, in which a signature would be.
    var withoutQuery: String {
        String(text.prefix { $0 != "?" })
    }

    /// A path segment of which nothing has a meaning in a URL (RFC 3986, section 2.3).
    static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
