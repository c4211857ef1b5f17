public import CalotypeHTTP

/// A post whose media are all on the server.
public struct PostDraft: Hashable, Sendable {
    /// A medium of the post, and what the server calls it.
    public struct Medium: Hashable, Sendable {
        /// What was sent.
        public let medium: PreparedMedium
        /// What the server calls it.
        public let uploaded: UploadedMedium

        /// Creates a medium of a draft.
        public init(_ medium: PreparedMedium, _ uploaded: UploadedMedium) {
            self.medium = medium
            self.uploaded = uploaded
        }
    }

    /// The text.
    public let text: String
    /// The media in the order of the post, whatever order they were sent in.
    public let media: [Medium]
    /// Who may see it.
    public let visibility: Post.Visibility?
    /// The language of the text.
    public let language: String?
    /// When the server is to show it.
    public let schedule: WallTime?

    /// Creates the draft of `post`.
    public init(_ post: Post, media: [Medium]) {
        text = post.text
        self.media = media
        visibility = post.visibility
        language = post.language
        schedule = post.schedule
    }
}
