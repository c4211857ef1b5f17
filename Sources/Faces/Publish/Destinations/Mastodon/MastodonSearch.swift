internal import CalotypeCore
internal import CalotypeHTTP

/// A search of the account's posts for one whose request may have arrived.
struct MastodonSearch {
    private static let pageSize = 40
    private static let mostPages = 25
    /// How far the server's clock may be behind.
    private static let tolerance = Duration.seconds(3600)
    /// The same for a post without media, which another one with its text could be taken for.
    private static let textTolerance = Duration.seconds(60)
    private static let doing = "look for the post"

    let api: MastodonServer
    let draft: PostDraft
    /// When the first request was sent.
    let since: WallTime
    /// Whether ``since`` is when it was sent, and not only a time that is long before.
    let isSure: Bool
    /// Whether it is a server whose lists are complete.
    let isMastodon: Bool

    /// The failure where it cannot be told whether the post is there.
    static func unknown(
        _ reason: String,
        _ url: WebURL,
        _ remedy: PublishError.Remedy = .none
    ) -> PublishError {
        let error = CalotypeError(
            .outcomeUnknown,
            "whether the post is published is not known: \(reason)",
            stage: .response,
            url: url.text
        )
        return PublishError(error, remedy)
    }

    /// The post, if it is there; `nil` where it is not.
    ///
    /// - Throws: `outcome_unknown` where it cannot be told.
    func run() async throws -> MastodonStatus? {
        guard let account = try await api.account() else {
            throw Self.unknown("the token does not allow to read the account's posts", api.url)
        }
        if draft.schedule != nil, let found = try await firstMatch("/api/v1/scheduled_statuses", account) {
            return found
        }
        let posts = "/api/v1/accounts/\(MastodonServer.segment(account))/statuses"
        if let found = try await firstMatch(posts, account) { return found }
        guard !isMastodon else { return nil }
        // snac2 tells there no post that not everybody may see, and those that are to be shown later nowhere.
        if draft.visibility == .followers || draft.visibility == .direct,
            let found = try await firstMatch("/api/v1/timelines/home", account)
        {
            return found
        }
        guard draft.schedule == nil else {
            throw Self.unknown("look for it among the posts to be shown later", api.url)
        }
        return nil
    }

    /// The post in a list of posts, newest first, that is followed until before the first request.
    private func firstMatch(_ path: String, _ account: String) async throws -> MastodonStatus? {
        var last: String?
        for _ in 0..<Self.mostPages {
            let page = try await page(path, after: last)
            if let found = page.first(where: { matches($0, account) }) { return try certain(found) }
            guard let oldest = page.last, oldest.id.text != last, page.count >= Self.pageSize / 2,
                oldest.created.map({ since - $0 < Self.tolerance }) ?? true
            else { return nil }
            last = oldest.id.text
        }
        throw Self.unknown("there are too many newer posts", api.url)
    }

    /// A post that has the draft's media, or was made when the draft was sent.
    ///
    /// - Throws: `outcome_unknown` for one that has only the same text, and may be older.
    private func certain(_ status: MastodonStatus) throws(PublishError) -> MastodonStatus {
        guard isSure || !draft.media.isEmpty else {
            let reason =
                "this machine's clock was set back since, and a post of the same text is there; look whether it is this one"
            throw Self.unknown(reason, api.url)
        }
        return status
    }

    private func page(_ path: String, after last: String?) async throws -> [MastodonStatus] {
        let next = last.map { "&max_id=\(MastodonServer.segment($0))" } ?? ""
        let request = try api.request(.get, "\(path)?limit=\(Self.pageSize)\(next)")
        let answer = try await api.send(request, to: Self.doing)
        guard answer.isSuccess else { throw api.failure(answer, to: Self.doing) }
        return try answer.json([MastodonStatus].self)
    }

    private func matches(_ status: MastodonStatus, _ account: String) -> Bool {
        guard status.account.map({ $0.id.text == account }) ?? true else { return false }
        guard draft.media.isEmpty else { return status.hasMedia(of: draft) }
        // A post that is to be shown later was made at a time that is not told, and may be told to be of the future.
        let isNew =
            status.created.map { since - $0 <= Self.textTolerance }
            ?? (draft.schedule != nil)
        return isNew && (status.attachments ?? []).isEmpty && status.hasText(of: draft)
    }
}
