internal import CalotypeCore
internal import CalotypeHTTP

extension WordPressDestination {
    /// Makes a draft, gives it its media, and then publishes it.
    ///
    /// Only the last of these requests is seen by readers, and it can be repeated: no number of lost answers makes a second post.
    public func publish(_ draft: PostDraft, _ session: PostSession) async throws -> PublishedPost {
        let earlier = session.state.value(WordPressPublication.self)
        // What cannot be said is refused before anything is asked.
        _ = try WordPressEntry(draft, slug: "", site: site)
        let record: WordPressPublication
        if let earlier {
            record = earlier
        } else {
            let root = try await WordPressRoot.find(of: self, session.client)
            record = WordPressPublication(root: root, key: session.key)
        }
        let attempt = WordPressPostAttempt(
            contents: draft,
            entry: try WordPressEntry(draft, slug: record.slug, site: site),
            session: session,
            calls: calls(record.root, session.client)
        )
        return try await attempt.run(record, isFirst: earlier == nil && !session.mayHaveBeenSent)
    }

    /// Removes the draft, unless it is published by now.
    public func discardDraft(_ state: RememberedState, _ client: PublishClient) async throws {
        guard let record = state.value(WordPressPublication.self) else { return }
        let calls = calls(record.root, client)
        for post in try await calls.posts(record) where !post.isPublished {
            try await calls.remove("posts/\(post.id)", "remove the draft")
        }
    }
}
