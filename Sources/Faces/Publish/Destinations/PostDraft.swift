internal import CalotypeCore
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

/// A medium as a file that is ready to be sent.
public struct PreparedMedium: Hashable, Sendable {
    /// Its place in the post, from 0.
    public let position: Int
    /// The name that the server is told: no path, no control characters, at most 200 bytes.
    public let name: String
    /// The file.
    public let file: SourceFile
    /// What it is.
    public let type: MediaType
    /// What can be seen, for those who cannot see it.
    public let altText: String?
    /// The point that stays in sight.
    public let focus: Media.Focus?
    /// The picture that stands for it.
    public let thumbnail: SourceFile?

    /// Creates a medium of `file`.
    public init(
        position: Int,
        name: String,
        file: SourceFile,
        type: MediaType,
        altText: String? = nil,
        focus: Media.Focus? = nil,
        thumbnail: SourceFile? = nil
    ) {
        self.position = position
        self.name = name
        self.file = file
        self.type = type
        self.altText = altText
        self.focus = focus
        self.thumbnail = thumbnail
    }
}

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

/// A post as a JSON document, for a server that takes it or for programs that find it; each destination names its media in its
/// own way.
struct DraftDocument<Medium: Encodable>: Encodable {
    /// The post's own key.
    let id: String
    let text: String
    let visibility: String?
    let language: String?
    /// When it is to be shown, as RFC 3339 writes it.
    let schedule: String?
    /// In order.
    let media: [Medium]

    init(_ draft: PostDraft, key: String, _ medium: (PostDraft.Medium) -> Medium) {
        id = key
        text = draft.text
        visibility = draft.visibility?.rawValue
        language = draft.language
        schedule = draft.schedule?.internetText
        media = draft.media.map(medium)
    }
}

/// What every ``DraftDocument`` says of a medium.
struct MediumFacts: Encodable {
    /// The file's name where it came from.
    let name: String
    let type: String
    /// In bytes.
    let size: Int
    let sha256: String
    let alt: String?

    init(_ medium: PreparedMedium) {
        name = medium.name
        type = medium.type.name
        size = medium.file.size.bytes
        sha256 = medium.file.sha256
        alt = medium.altText
    }
}
