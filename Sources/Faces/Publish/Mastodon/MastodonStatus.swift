internal import CalotypeHTTP

/// What a post is asked for by.
struct MastodonStatusRequest: Encodable {
    /// How long before its time a post has to be there.
    static let scheduleAhead = Duration.seconds(300)

    var status: String
    var mediaIDs: [String]
    var visibility: String?
    var language: String?
    var scheduledAt: String?

    private enum CodingKeys: String, CodingKey {
        case status, visibility, language
        case mediaIDs = "media_ids"
        case scheduledAt = "scheduled_at"
    }

    init(_ draft: PostDraft) {
        status = draft.text
        mediaIDs = draft.media.map(\.uploaded.id)
        visibility = draft.visibility?.rawValue
        language = draft.language
        scheduledAt = draft.schedule?.internetText
    }
}

/// A post as the server tells it, or one that is to be shown later.
struct MastodonStatus: Decodable {
    /// What a post that is to be shown later was asked for by.
    struct Parameters: Decodable {
        var text: String?
    }

    var id: MastodonID
    var url: String?
    var createdAt: String?
    /// The text as it was written; not all servers tell it.
    var text: String?
    /// The text as HTML.
    var content: String?
    var account: MastodonAccount?
    var attachments: [MastodonAttachment]?
    var params: Parameters?

    private enum CodingKeys: String, CodingKey {
        case id, url, text, content, account, params
        case createdAt = "created_at"
        case attachments = "media_attachments"
    }

    /// When it was made.
    var created: WallTime? {
        createdAt.flatMap(RFC3339.seconds).map { WallTime(secondsSince1970: $0) }
    }

    /// The post as the publisher tells it.
    func published(_ draft: PostDraft) -> PublishedPost {
        PublishedPost(id: id.text, url: url, media: draft.media.map(\.uploaded))
    }

    /// Whether it has the same media as the draft: by their ids, or, where a post's media get ids of their own, by their URLs.
    func hasMedia(of draft: PostDraft) -> Bool {
        let wanted = draft.media.map(\.uploaded)
        let attachments = attachments ?? []
        guard !wanted.isEmpty, wanted.count == attachments.count else { return false }
        if Set(wanted.map(\.id)) == Set(attachments.map(\.id.text)) { return true }
        let urls = wanted.compactMap(\.url)
        return urls.count == wanted.count && Set(urls) == Set(attachments.compactMap(\.url))
    }

    /// Whether it is of the same text as the draft, as far as can be told.
    func hasText(of draft: PostDraft) -> Bool {
        if let text = text ?? params?.text { return StatusText(text) == StatusText(draft.text) }
        guard let content else { return false }
        let shown = StatusText(html: content)
        // Servers show a name of another server without its host.
        return shown == StatusText(draft.text) || shown == StatusText(draft.text).withoutHosts
    }
}
