/// A post that is on a server.
public struct PublishedPost: Hashable, Sendable, Codable {
    /// The server's name for it; `nil` where it told none.
    public let id: String?
    /// Where it can be seen; `nil` where the server did not tell.
    public let url: String?
    /// Its media, in the order of the post.
    public let media: [UploadedMedium]

    /// Creates what a server answered.
    public init(id: String?, url: String?, media: [UploadedMedium]) {
        self.id = id
        self.url = url
        self.media = media
    }
}
