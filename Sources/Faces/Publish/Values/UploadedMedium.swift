/// A medium that is on a server, ready to be part of a post.
public struct UploadedMedium: Hashable, Sendable, Codable {
    /// The server's name for it: a number, a key or a URL.
    public let id: String
    /// Where it can be seen; `nil` where the server did not tell.
    public let url: String?

    /// Creates what a server answered.
    public init(id: String, url: String? = nil) {
        self.id = id
        self.url = url
    }
}
