internal import CalotypeCore

/// The path of a file below a server's root, component by component; none of them leads upwards.
public struct LocalPath: Hashable, Sendable {
    /// The names of folders and, at the end, of the file.
    public let components: [String]

    /// The components between slashes.
    public var text: String { components.joined(separator: "/") }

    /// Reads `local:///PATH`; escapes stand for their bytes, and what follows a `?` or `#` is no part of the path.
    init(url: String) throws(RequestRefusal) {
        let path = url.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        guard path.starts(with: "///".utf8) else { throw Self.invalid("is not local:///PATH") }
        let written = path.dropFirst(3).prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let bytes = PercentEscapes.decoded(written), let text = String(validating: bytes, as: UTF8.self)
        else {
            throw Self.invalid("has an escape that stands for nothing")
        }
        components = try Self.components(text)
    }

    private static func components(_ path: String) throws(RequestRefusal) -> [String] {
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        guard !parts.isEmpty, path.utf8.last != UInt8(ascii: "/") else { throw invalid("names no file") }
        for part in parts {
            guard part != ".", part != "..", !part.utf8.contains(0) else { throw invalid("leads elsewhere") }
            // The longest name that Linux knows.
            guard part.utf8.count <= 255 else { throw invalid("has a name that is too long") }
        }
        guard path.utf8.count < 4_096 else { throw invalid("is too long") }
        return parts
    }

    private static func invalid(_ what: String) -> RequestRefusal {
        .blockedSource("the local source \(what)")
    }
}
