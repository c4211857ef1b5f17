internal import CalotypeCore
internal import CalotypeHTTP

extension WordPressDestination {
    /// Sends the file, and then its alt text; a medium that an earlier attempt brought there is found by its name.
    public func upload(_ medium: PreparedMedium, _ session: UploadSession) async throws -> UploadedMedium {
        let earlier = session.state.value(WordPressUpload.self)
        let record: WordPressUpload
        if let earlier {
            record = earlier
        } else {
            let root = try await WordPressRoot.find(of: self, session.client)
            record = WordPressUpload(root: root, key: session.key)
        }
        let attempt = WordPressUploadAttempt(
            medium: medium,
            session: session,
            calls: calls(record.root, session.client)
        )
        return try await attempt.run(record, isFirst: earlier == nil)
    }

    /// It does: a site goes on with what it was sent, and is asked until it shows it.
    public var awaitsCutUploads: Bool { true }

    /// Removes the medium with all pictures that were made of it.
    @discardableResult
    public func discard(
        _ state: RememberedState,
        _ uploaded: UploadedMedium?,
        _ client: PublishClient
    ) async throws -> Discarded {
        let record = state.value(WordPressUpload.self)
        guard record != nil || uploaded != nil else { return .removed }
        let root: WordPressRoot
        if let record { root = record.root } else { root = try await WordPressRoot.find(of: self, client) }
        let calls = calls(root, client)
        var id = uploaded.flatMap { Int($0.id) } ?? record?.id
        if id == nil, let record { id = try await calls.arrived(record)?.id }
        if let id { try await calls.remove("media/\(id)", "remove the file") }
        return .removed
    }
}
