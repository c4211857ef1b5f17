internal import CalotypeCore
internal import CalotypeHTTP

/// A post as it is sent to the site.
struct WordPressEntry: Encodable {
    private(set) var status = "draft"
    /// When it is shown, in UTC.
    private(set) var dateGMT: String?
    let slug: String
    let content: String
    /// The number of the picture that stands for the post; 0 is none.
    let featuredMedia: Int

    private let finalStatus: String

    private enum CodingKeys: String, CodingKey {
        case status, slug, content
        case dateGMT = "date_gmt"
        case featuredMedia = "featured_media"
    }

    /// Creates the draft of a post.
    ///
    /// - Throws: `post_refused` for what WordPress has no word for.
    init(_ draft: PostDraft, slug: String, site: WebURL) throws(PublishFailure) {
        finalStatus = try Self.status(draft, site)
        self.slug = slug
        content = WordPressContent.html(draft)
        let picture = draft.media.first { $0.medium.type.kind == .image }
        featuredMedia = picture.flatMap { Int($0.uploaded.id) } ?? 0
        dateGMT = draft.schedule?.internetText
    }

    /// The same post, to be seen.
    var published: WordPressEntry {
        var entry = self
        entry.status = finalStatus
        return entry
    }

    private static func status(_ draft: PostDraft, _ site: WebURL) throws(PublishFailure) -> String {
        switch draft.visibility {
        case .direct:
            throw refusal(
                "WordPress has no posts for those whom the text mentions; choose another visibility",
                site
            )
        case .followers where draft.schedule != nil:
            throw refusal(
                "WordPress shows a private post at once; leave out the schedule or the visibility",
                site
            )
        case .followers: return "private"
        case .everyone, .unlisted, nil: return draft.schedule == nil ? "publish" : "future"
        }
    }

    private static func refusal(_ message: String, _ site: WebURL) -> PublishFailure {
        PublishFailure(CalotypeError(.postRefused, message, stage: .request, url: site.text), .none)
    }
}
