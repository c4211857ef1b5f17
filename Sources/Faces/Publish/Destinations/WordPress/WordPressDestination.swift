internal import CalotypeCore
public import CalotypeHTTP

/// A WordPress site, by its REST interface and an application password.
///
/// A post becomes a draft, gets its media, and is then published, so that it is seen whole or not at all. It has no title; its
/// text becomes paragraphs, its media blocks in their order, its first picture the featured one. Media and draft carry names of our
/// own choosing, by which they are found again after an answer was lost.
///
/// WordPress knows no focus, no thumbnail of a file and no language of a post: they are left out. ``Post/Visibility/followers``
/// becomes a private post, which only the site's editors see, and can have no schedule; a post for
/// ``Post/Visibility/direct`` is refused; every other is seen by everybody.
public struct WordPressDestination: PublishDestination {
    /// The site's address, such as `https://example.org/blog/`.
    public let site: WebURL
    let user: String
    let password: Secret

    /// Creates a destination.
    ///
    /// - Parameters:
    ///   - site: Where the site's home page is; its query is left out.
    ///   - user: The name of a user who may publish posts and upload files.
    ///   - password: An application password of this user; the password for logging in does not do.
    public init(site: WebURL, user: String, password: Secret) {
        self.site = site
        self.user = user
        self.password = password
    }

    /// The kind and the site's address.
    public var name: String { "wordpress+\(site.withoutQuery)" }
    /// It does: WordPress compares it.
    public var needsMD5: Bool { true }

    /// Finds the REST interface, and checks that the user may do what a post needs.
    ///
    /// The site does not tell what it takes; a file that is too large is refused when it is sent.
    public func limits(_ client: PublishClient) async throws -> MediaLimits {
        let root = try await WordPressRoot.find(of: self, client)
        let path = "wp/v2/users/me?context=edit&_fields=id,capabilities"
        let answer = try await calls(root, client).get(path)
        guard answer.isSuccess else { throw answer.wordPressFailure("sign in") }
        try answer.json(WordPressUser.self).requireAuthor(at: site)
        var limits = MediaLimits()
        limits.visibilities = [.everyone, .unlisted, .followers]
        return limits
    }

    func calls(_ root: WordPressRoot, _ client: PublishClient) -> WordPressCalls {
        WordPressCalls(destination: self, root: root, client: client)
    }
}

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

/// Who has signed in.
struct WordPressUser: Decodable {
    /// What they may do, where the site tells.
    let capabilities: [String: Bool]?

    private enum CodingKeys: CodingKey {
        case capabilities
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        // PHP writes an empty table as an empty list, and plugins write numbers for true: then nothing is known.
        capabilities = try? fields.decode([String: Bool].self, forKey: .capabilities)
    }

    /// - Throws: `not_allowed` where the user may not do what publishing takes.
    func requireAuthor(at site: WebURL) throws(PublishError) {
        guard let capabilities else { return }
        let missing = ["upload_files", "publish_posts"].filter { capabilities[$0] != true }
        guard !missing.isEmpty else { return }
        let error = CalotypeError(
            .notAllowed,
            "the user lacks the right to \(missing.joined(separator: " and ")); give the role of an author, "
                + "or use another user",
            stage: .response,
            url: site.text
        )
        throw PublishError(error, .none)
    }
}
