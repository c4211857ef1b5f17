/// What kind of file a medium is, told by its first bytes.
public struct MediaType: Hashable, Sendable, Codable, CustomStringConvertible {
    /// What a server treats alike.
    public enum Kind: String, Hashable, Sendable {
        case image, video, audio, other
    }

    /// The media type, such as `image/jpeg`.
    public let name: String

    /// Takes a media type's name.
    public init(_ name: String) {
        self.name = name
    }

    /// Of which kind it is.
    public var kind: Kind {
        name.split(separator: "/").first.flatMap { Kind(rawValue: String($0)) } ?? .other
    }

    /// The name.
    public var description: String { name }
}
