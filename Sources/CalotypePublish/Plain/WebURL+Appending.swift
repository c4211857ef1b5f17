internal import CalotypeCore
internal import CalotypeHTTP

extension WebURL {
    /// The URL of the file `name` in the folder that this one is, whether it ends in a slash or not.
    func appending(_ name: String) throws(CalotypeError) -> WebURL {
        let folder = withoutQuery.hasSuffix("/") ? withoutQuery : withoutQuery + "/"
        return try WebURL(folder + Self.escaped(name)).adding(query)
    }

    /// The URL with `query`, where it has none.
    func adding(_ query: Substring?) throws(CalotypeError) -> WebURL {
        guard let query, self.query == nil else { return self }
        return try WebURL("\(text)?\(query)")
    }

    /// What follows the question mark, such as a signature; `nil` where there is none.
    var query: Substring? {
        text.firstIndex(of: "?").map { text[text.index(after: $0)...] }
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
