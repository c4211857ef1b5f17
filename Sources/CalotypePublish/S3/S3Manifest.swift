internal import CalotypeCore
internal import CalotypeHTTP
internal import FoundationEssentials

/// A post as a document in a bucket, which programs read that show posts.
struct S3Manifest: Hashable, Sendable, Codable {
    /// A medium of a post.
    struct Medium: Hashable, Sendable, Codable {
        /// The object in the same bucket.
        let key: String
        /// Where it can be had.
        let url: String?
        /// The file's name where it came from.
        let name: String
        let type: String
        /// In bytes.
        let size: Int
        let sha256: String
        let alt: String?
        let focus: Media.Focus?
    }

    /// The post's own key.
    let id: String
    let text: String
    /// In order.
    let media: [Medium]
    let visibility: Post.Visibility?
    let language: String?
    /// When it is to be shown, as RFC 3339 writes it.
    let schedule: String?

    init(_ draft: PostDraft, key: String) {
        id = key
        text = draft.text
        media = draft.media.map(Medium.init)
        visibility = draft.visibility
        language = draft.language
        schedule = draft.schedule.map { moment in
            Date(timeIntervalSince1970: Double(moment.secondsSince1970)).formatted(.iso8601)
        }
    }

    /// The document, the same each time for the same post.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}

extension S3Manifest.Medium {
    fileprivate init(_ medium: PostDraft.Medium) {
        key = medium.uploaded.id
        url = medium.uploaded.url
        name = medium.medium.name
        type = medium.medium.type.name
        size = medium.medium.file.size.bytes
        sha256 = medium.medium.file.sha256
        alt = medium.medium.altText
        focus = medium.medium.focus
    }
}
