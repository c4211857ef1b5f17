internal import CalotypeCore
internal import CalotypeHTTP

/// A search of the account's posts for one whose request may have arrived.
struct MastodonSearch {
    private static let pageSize = 40
    private static let mostPages = 25
    /// The maximum lag of the server's clock.
    private static let tolerance = Duration.seconds(3600)
    /// The maximum lag for a post without media, which could be confused with another post of the same text.
    private static let textTolerance = Duration.seconds(60)
    private static let doing = "look up the post"

    let api: MastodonServer
    let draft: PostDraft
    /// When the first request was sent.
    let since: WallTime
    /// Whether ``since`` is the actual time of sending, and not merely a time long before it.
    let isSure: Bool
    /// Whether the server is Mastodon, whose lists are complete.
    let isMastodon: Bool

    /// Returns the failure for a search that cannot determine whether the post exists.
    static func unknown(
        _ reason: String,
        _ url: WebURL,
        _ remedy: PublishError.Remedy = .none
    ) -> PublishError {
        let error = CalotypeError(
            .outcomeUnknown,
            "the server may or may not have published the post: \(reason)",
            stage: .response,
            url: url.text
        )
        return PublishError(error, remedy)
    }

    /// Returns the post, or `nil` if it does not exist.
    ///
    /// - Throws: `outcome_unknown` if that cannot be determined.
    func run() async throws -> MastodonStatus? {
        guard let account = try await api.account() else {
            throw Self.unknown("the token has no permission to read the account's posts", api.url)
        }
        if draft.schedule != nil, let found = try await firstMatch("/api/v1/scheduled_statuses", account) {
            return found
        }
        let posts = "/api/v1/accounts/\(MastodonServer.segment(account))/statuses"
        if let found = try await firstMatch(posts, account) { return found }
        guard !isMastodon else { return nil }
        // That list of snac2 has only public posts, and no list of snac2 has scheduled posts.
        if draft.visibility == .followers || draft.visibility == .direct,
            let found = try await firstMatch("/api/v1/timelines/home", account)
        {
            return found
        }
        guard draft.schedule == nil else {
            throw Self.unknown("check the server's list of scheduled posts", api.url)
        }
        return nil
    }

    /// Searches a list of posts, newest first, back to a time before the first request.
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

    /// Accepts a post that has the draft's media, or was created when the draft was sent.
    ///
    /// - Throws: `outcome_unknown` for a post that only has the same text, and may be older.
    private func certain(_ status: MastodonStatus) throws(PublishError) -> MastodonStatus {
        guard isSure || !draft.media.isEmpty else {
            let reason =
                "the server has a post with the same text, but this machine's clock was set back; check whether it is this post"
            throw Self.unknown(reason, api.url)
        }
        return status
    }

    private func page(_ path: String, after last: String?) async throws -> [MastodonStatus] {
        let next = last.map { "&max_id=\(MastodonServer.segment($0))" } ?? ""
        let request = try api.request(.get, "\(path)?limit=\(Self.pageSize)\(next)")
        let response = try await api.send(request, to: Self.doing)
        guard response.isSuccess else { throw api.failure(response, to: Self.doing) }
        return try response.json([MastodonStatus].self)
    }

    private func matches(_ status: MastodonStatus, _ account: String) -> Bool {
        guard status.account.map({ $0.id.text == account }) ?? true else { return false }
        guard draft.media.isEmpty else { return status.hasMedia(of: draft) }
        // The server does not report when a scheduled post was created, and may report a time in the future.
        let isNew =
            status.created.map { since - $0 <= Self.textTolerance }
            ?? (draft.schedule != nil)
        return isNew && (status.attachments ?? []).isEmpty && status.hasText(of: draft)
    }
}
