import CalotypeHTTP
import CalotypePublish

/// A post as the API tells of it.
struct PostDocument: Encodable, Sendable {
    struct Medium: Encodable, Sendable {
        let file: String
        let name: String
        let alt: String
        @Nullable var src: String?
    }

    let id: String
    let profile: String
    let text: String
    let visibility: String?
    /// The moment as RFC 3339 writes it.
    let created: String
    let state: String
    let url: String?
    let problem: String?
    let media: [Medium]
    @Nullable var progress: PublishStateDocument?

    init(_ entry: PostShelf.Entry, _ files: FileShelf) {
        let post = entry.post
        id = post.id
        profile = post.profile
        text = post.text
        visibility = post.visibility
        created = WallTime(secondsSince1970: post.created).internetText
        state = post.state.rawValue
        url = post.url
        problem = post.problem
        media = post.media.map { medium in
            Medium(
                file: medium.file,
                name: medium.name,
                alt: medium.alt,
                src: Nullable(wrappedValue: files[medium.file]?.src)
            )
        }
        _progress = Nullable(wrappedValue: entry.run.map { PublishStateDocument($0.progress.current) })
    }
}
