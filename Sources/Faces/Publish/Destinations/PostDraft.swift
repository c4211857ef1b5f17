internal import CalotypeCore
public import CalotypeHTTP

/// A post whose media are all on the server.
public struct PostDraft: Hashable, Sendable {
    /// A medium of the post, and the server's reference to it.
    public struct Medium: Hashable, Sendable {
        /// The medium that was sent.
        public let medium: PreparedMedium
        /// The medium as the server reported it.
        public let uploaded: UploadedMedium

        /// Creates a medium of a draft.
        public init(_ medium: PreparedMedium, _ uploaded: UploadedMedium) {
            self.medium = medium
            self.uploaded = uploaded
        }
    }

    /// The text.
    public let text: String
    /// The media, in the order of the post, regardless of the order in which they were uploaded.
    public let media: [Medium]
    /// The warning that readers see first.
    public let contentWarning: String?
    /// Who may see the post.
    public let visibility: Post.Visibility?
    /// The language of the text.
    public let language: String?
    /// When the server should show the post.
    public let schedule: WallTime?

    /// Creates the draft of `post`.
    public init(_ post: Post, media: [Medium]) {
        text = post.text
        self.media = media
        contentWarning = post.contentWarning
        visibility = post.visibility
        language = post.language
        schedule = post.schedule
    }
}

/// A medium as a file that is ready to be sent.
public struct PreparedMedium: Hashable, Sendable {
    /// The medium's position in the post, from 0.
    public let position: Int
    /// The file name sent to the server: no path, no control characters, at most 200 bytes.
    public let name: String
    /// The file.
    public let file: SourceFile
    /// The file's media type.
    public let type: MediaType
    /// A description for people who cannot see the medium.
    public let altText: String?
    /// The point that stays visible when the image is cropped.
    public let focus: Media.Focus?
    /// The file of the thumbnail.
    public let thumbnail: SourceFile?

    /// Creates a medium from `file`.
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
    /// The server's ID for the medium: a number, a key or a URL.
    public let id: String
    /// The medium's URL; `nil` if the server reported none.
    public let url: String?

    /// Creates a value from what the server reported.
    public init(id: String, url: String? = nil) {
        self.id = id
        self.url = url
    }
}

/// A post as a JSON document, for a server that accepts it or for programs that read it.
///
/// Each destination describes its media in its own way.
struct DraftDocument<Medium: Encodable>: Encodable {
    /// The post's own key.
    let id: String
    let text: String
    let contentWarning: String?
    let visibility: String?
    let language: String?
    /// When the post should be shown, in the format of RFC 3339.
    let schedule: String?
    /// The media, in order.
    let media: [Medium]

    private enum CodingKeys: String, CodingKey {
        case id, text, visibility, language, schedule, media
        case contentWarning = "content_warning"
    }

    init(_ draft: PostDraft, key: String, _ medium: (PostDraft.Medium) -> Medium) {
        id = key
        text = draft.text
        contentWarning = draft.contentWarning
        visibility = draft.visibility?.rawValue
        language = draft.language
        schedule = draft.schedule?.internetText
        media = draft.media.map(medium)
    }
}

/// The fields that every ``DraftDocument`` has for a medium.
struct MediumFacts: Encodable {
    /// The name of the original file.
    let name: String
    let type: String
    /// The size in bytes.
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
