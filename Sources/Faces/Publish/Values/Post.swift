public import CalotypeHTTP

/// What is to be published: a text with photos, videos and other files, in order.
public struct Post: Hashable, Sendable {
    /// Who may see a post.
    public enum Visibility: String, Hashable, Sendable, CaseIterable, Codable {
        /// Everybody, also in lists.
        case everyone = "public"
        /// Everybody who has the link.
        case unlisted
        /// Followers.
        case followers = "private"
        /// Those whom the text mentions.
        case direct
    }

    /// The text; may be empty where there is a medium.
    public var text: String
    /// The media in the order in which they are shown.
    public var media: [Media]
    /// Who may see it; the server's own default where `nil`.
    public var visibility: Visibility?
    /// The language of the text as a BCP 47 tag such as `de`; the server's own default where `nil`.
    public var language: String?
    /// When the server is to show it; at once where `nil`.
    public var schedule: WallTime?

    /// Creates a post.
    public init(_ text: String, media: [Media] = []) {
        self.text = text
        self.media = media
    }
}
